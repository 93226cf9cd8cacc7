// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/** Puts and gets, carried out in the call that begins them. Holds nothing. */
final class InMemoryTransfer {
  private InMemoryTransfer() {}

  static void check(TransferList list, RemoteAccess access, InMemoryTransport here) {
    long sum = 0;
    for (int i = 0; i < list.size(); i++) {
      if (!(list.memory(i) instanceof InMemoryMemory memory)
          || !(list.remote(i) instanceof InMemoryKey far)) {
        throw new IllegalArgumentException("memory of another transport");
      }
      memory.check(here, list.offsetBytes(i), list.lengthBytes(i));
      far.check(access, list.remoteOffsetBytes(i), list.lengthBytes(i));
      sum += list.lengthBytes(i);
      if (sum > Transport.MAX_MESSAGE_BYTES) {
        throw new IllegalArgumentException("more than " + Transport.MAX_MESSAGE_BYTES + " bytes");
      }
    }
  }

  static boolean isElsewhere(TransferList list, InMemoryTransport there) {
    for (int i = 0; i < list.size(); i++) {
      if (((InMemoryKey) list.remote(i)).memory().owner() != there) {
        return true;
      }
    }
    return false;
  }

  static boolean isStale(TransferList list) {
    for (int i = 0; i < list.size(); i++) {
      if (((InMemoryKey) list.remote(i)).memory().isClosed()) {
        return true;
      }
    }
    return false;
  }

  static long copy(TransferList list, RemoteAccess access) {
    long sum = 0;
    for (int i = 0; i < list.size(); i++) {
      InMemoryMemory here = (InMemoryMemory) list.memory(i);
      InMemoryMemory there = ((InMemoryKey) list.remote(i)).memory();
      if (access == RemoteAccess.PUT) {
        here.copyTo(there, list.offsetBytes(i), list.remoteOffsetBytes(i), list.lengthBytes(i));
      } else {
        there.copyTo(here, list.remoteOffsetBytes(i), list.offsetBytes(i), list.lengthBytes(i));
      }
      sum += list.lengthBytes(i);
    }
    return sum;
  }

  /** Returns the length of the message that a list is. */
  static long requireGatherable(GatherList list, InMemoryTransport here) {
    long sum = 0;
    for (int i = 0; i < list.size(); i++) {
      if (!(list.memory(i) instanceof InMemoryMemory memory)) {
        throw new IllegalArgumentException("memory of another transport");
      }
      memory.check(here, list.offsetBytes(i), list.lengthBytes(i));
      sum += list.lengthBytes(i);
      if (sum > Transport.MAX_MESSAGE_BYTES) {
        throw new IllegalArgumentException("more than " + Transport.MAX_MESSAGE_BYTES + " bytes");
      }
    }
    return sum;
  }

  /** The pieces of a list in memory of its own. */
  static InMemoryMemory gathered(GatherList list, InMemoryTransport here, long lengthBytes) {
    ByteBuffer bytes = ByteBuffer.allocateDirect((int) Math.max(1, lengthBytes));
    InMemoryMemory whole = new InMemoryMemory(here, List.of(bytes), Set.of(), () -> {});
    long at = 0;
    for (int i = 0; i < list.size(); i++) {
      InMemoryMemory piece = (InMemoryMemory) list.memory(i);
      piece.copyTo(whole, list.offsetBytes(i), at, list.lengthBytes(i));
      at += list.lengthBytes(i);
    }
    return whole;
  }
}
