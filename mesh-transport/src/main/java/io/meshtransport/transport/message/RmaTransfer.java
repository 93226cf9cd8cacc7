// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.memory.RemoteKey;
import io.meshtransport.transport.memory.Retained;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * One put or get: its pieces as a NIC knows them, and how far they have been posted. Used again and
 * again; allocates only while it grows beyond what it ever held. Confined to the channel's lock.
 */
final class RmaTransfer implements Retained {
  private static final int FIRST_CAPACITY = 8;

  private final Consumer<RmaTransfer> onRelease;
  private boolean isGet;
  private int size;
  private long totalBytes;
  private long requestsLeft;
  private int piece;
  private long doneBytes;
  private boolean hasBegun;
  private RemoteKey elsewhere;
  private MeshMemory[] memories = new MeshMemory[FIRST_CAPACITY];
  private int[] localKeys = new int[FIRST_CAPACITY];
  private long[] addresses = new long[FIRST_CAPACITY];
  private long[] lengthsBytes = new long[FIRST_CAPACITY];
  private int[] remoteKeys = new int[FIRST_CAPACITY];
  private long[] remoteAddresses = new long[FIRST_CAPACITY];

  /**
   * @param onRelease gets it back when its request is over
   */
  RmaTransfer(Consumer<RmaTransfer> onRelease) {
    this.onRelease = onRelease;
  }

  /**
   * Takes over a list, whole or not at all, and keeps its memory from ending.
   *
   * @param nicIndex local NIC that does it
   * @param partBytes longest piece of one work request
   * @throws IllegalArgumentException foreign memory, out of bounds, too many bytes
   * @throws IllegalStateException closed memory
   */
  void fill(
      MemoryRegistry registry,
      TransferList list,
      boolean get,
      int nicIndex,
      PeerNic peer,
      long partBytes) {
    isGet = get;
    size = 0;
    totalBytes = 0;
    requestsLeft = 0;
    piece = 0;
    doneBytes = 0;
    hasBegun = false;
    elsewhere = null;
    ensureCapacity(list.size());
    boolean isWhole = false;
    try {
      for (int i = 0; i < list.size(); i++) {
        add(registry, list, i, nicIndex, peer, partBytes);
      }
      isWhole = true;
    } finally {
      if (!isWhole) {
        release();
      }
    }
    // Nothing at all still needs something whose end can be reported.
    requestsLeft = Math.max(1, requestsLeft);
  }

  private void add(
      MemoryRegistry registry,
      TransferList list,
      int i,
      int nicIndex,
      PeerNic peer,
      long partBytes) {
    long lengthBytes = list.lengthBytes(i);
    long remoteOffsetBytes = list.remoteOffsetBytes(i);
    RemoteKey far =
        RemoteKey.require(
            list.remote(i),
            isGet ? RemoteAccess.GET : RemoteAccess.PUT,
            remoteOffsetBytes,
            lengthBytes);
    if (lengthBytes > Transport.MAX_MESSAGE_BYTES - totalBytes) {
      throw new IllegalArgumentException(
          "a put or get of more than " + Transport.MAX_MESSAGE_BYTES + " bytes in all");
    }
    MeshMemory memory =
        MeshMemory.retain(registry, list.memory(i), list.offsetBytes(i), lengthBytes);
    if (!far.isAt(peer)) {
      elsewhere = far;
    }
    if (lengthBytes == 0 || elsewhere != null) {
      memory.release();
      return;
    }
    memories[size] = memory;
    localKeys[size] = memory.keys(nicIndex).localKey();
    addresses[size] = memory.address(nicIndex) + list.offsetBytes(i);
    lengthsBytes[size] = lengthBytes;
    remoteKeys[size] = far.key(peer.nicIndex());
    remoteAddresses[size] = far.address(peer.nicIndex()) + remoteOffsetBytes;
    size++;
    totalBytes += lengthBytes;
    requestsLeft += (lengthBytes + partBytes - 1) / partBytes;
  }

  private void ensureCapacity(int pieces) {
    if (pieces > memories.length) {
      int capacity = Integer.highestOneBit(pieces - 1) << 1;
      memories = new MeshMemory[capacity];
      localKeys = Arrays.copyOf(localKeys, capacity);
      addresses = Arrays.copyOf(addresses, capacity);
      lengthsBytes = Arrays.copyOf(lengthsBytes, capacity);
      remoteKeys = Arrays.copyOf(remoteKeys, capacity);
      remoteAddresses = Arrays.copyOf(remoteAddresses, capacity);
    }
  }

  /** Remote memory of it that its channel does not lead to, for which it must fail; or null. */
  RemoteKey elsewhere() {
    return elsewhere;
  }

  boolean isGet() {
    return isGet;
  }

  long totalBytes() {
    return totalBytes;
  }

  /** Work requests that are still to be posted. */
  long requestsLeft() {
    return requestsLeft;
  }

  /** Whether any of it has been posted. */
  boolean hasBegun() {
    return hasBegun;
  }

  /** Writes the next work request, which there must be, into the endpoint's chain. */
  void addNext(MeshEndpoint endpoint, long id, long partBytes, boolean isReported) {
    if (size == 0) {
      endpoint.addPiece(id, isGet, 0, 0, 0, 0, 0, isReported);
    } else {
      int lengthBytes = (int) Math.min(partBytes, lengthsBytes[piece] - doneBytes);
      endpoint.addPiece(
          id,
          isGet,
          localKeys[piece],
          addresses[piece] + doneBytes,
          lengthBytes,
          remoteAddresses[piece] + doneBytes,
          remoteKeys[piece],
          isReported);
      doneBytes += lengthBytes;
      if (doneBytes == lengthsBytes[piece]) {
        piece++;
        doneBytes = 0;
      }
    }
    requestsLeft--;
    hasBegun = true;
  }

  @Override
  public MeshMemory memory() {
    throw new IllegalStateException("a put or get has the memory of its pieces, and none itself");
  }

  @Override
  public void release() {
    for (int i = 0; i < size; i++) {
      memories[i].release();
      memories[i] = null;
    }
    size = 0;
    elsewhere = null;
    onRelease.accept(this);
  }
}
