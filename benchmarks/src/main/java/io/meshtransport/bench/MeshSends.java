// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Sends in flight, at most one from each of some slots in one memory. One thread. */
final class MeshSends {
  private static final long NONE = -1;

  private final SendChannel channel;
  private final RegisteredMemory memory;
  private final Workload.Waiting waiting;
  private final long[] requests;

  MeshSends(SendChannel channel, RegisteredMemory memory, int slots, Workload.Waiting waiting) {
    this.waiting = waiting;
    this.channel = channel;
    this.memory = memory;
    this.requests = new long[slots];
    Arrays.fill(requests, NONE);
  }

  ByteBuffer bytes() {
    return memory.segments().get(0);
  }

  int slots() {
    return requests.length;
  }

  /** Waits until the slot of a message is ours again. */
  void awaitSlot(long sequence) throws TransportException {
    int slot = (int) (sequence % requests.length);
    if (requests[slot] != NONE) {
      RequestWaits.await(channel, requests[slot], waiting);
      requests[slot] = NONE;
    }
  }

  /** Sends from the slot of a message, which must be free. */
  void post(long sequence, int offsetBytes, int lengthBytes) throws TransportException {
    requests[(int) (sequence % requests.length)] =
        RequestWaits.requirePosted(
            channel, channel.isend(memory, offsetBytes, lengthBytes, MeshReceives.TAG));
  }

  /**
   * The same, and makes progress until the message has been posted: a caller that then waits at
   * another channel makes no progress on this one.
   */
  void postAndFlush(long sequence, int offsetBytes, int lengthBytes) throws TransportException {
    post(sequence, offsetBytes, lengthBytes);
    if (channel.sendsNeedingProgress() > 0) {
      RequestWaits.awaitPosted(channel, waiting);
    }
  }

  /** Waits until all slots are ours again. */
  void drain() throws TransportException {
    for (int slot = 0; slot < requests.length; slot++) {
      awaitSlot(slot);
    }
  }
}
