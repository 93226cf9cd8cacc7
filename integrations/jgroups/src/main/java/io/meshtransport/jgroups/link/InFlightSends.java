// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.util.Optional;

/**
 * The slots under way on one channel, in the order in which they were sent. Made with the channel
 * and confined to its link's lock; nothing here blocks or, unless a send fails, allocates.
 *
 * <p>Nobody waits for a single message, so a request is tested only when its slot is wanted back.
 */
final class InFlightSends {
  /** Of the 64 requests that a channel takes, the rest is for directory messages. */
  static final int MAX_SENDS = 60;

  private final SendChannel channel;
  private final SendBufferPool pool;
  private final long[] requests = new long[MAX_SENDS];
  private final int[] buffers = new int[MAX_SENDS];
  private int oldest;
  private int count;
  private Optional<TransportException> failure = Optional.empty();

  InFlightSends(SendChannel channel, SendBufferPool pool) {
    this.channel = channel;
    this.pool = pool;
  }

  /** How many slots it holds. */
  int count() {
    return count;
  }

  /**
   * Begins to send a slot. Once begun, one of its holds is kept here until the request is over.
   *
   * @return whether it began. If not, the hold stays the caller's: the channel is full, or it has
   *     failed, see {@link #failure}
   * @throws IllegalStateException if {@value #MAX_SENDS} are under way
   */
  boolean post(int slot, int lengthBytes) {
    if (count == MAX_SENDS) {
      throw new IllegalStateException("a channel has at most " + MAX_SENDS + " slots under way");
    }
    long request =
        channel.isend(pool.memory(), pool.offsetBytes(slot), lengthBytes, BundleHeader.TAG);
    if (request == Channel.FAILED) {
      noteFailure();
    }
    if (request < 0) {
      return false;
    }
    int last = (oldest + count) % MAX_SENDS;
    requests[last] = request;
    buffers[last] = slot;
    count++;
    return true;
  }

  /**
   * Gives back the slots of what is over; those that overtook others wait for them.
   *
   * @return how many it gave back
   */
  int reap() {
    int before = count;
    while (count > 0) {
      long outcome = channel.test(requests[oldest]);
      if (outcome == Channel.PENDING) {
        break;
      }
      if (outcome == Channel.FAILED) {
        noteFailure();
      }
      releaseOldest();
    }
    return before - count;
  }

  /** Why a send failed, the first that did: the link is then of no more use. */
  Optional<TransportException> failure() {
    return failure;
  }

  /** Gives back every slot. Only after the channel is closed: then every request is over. */
  void releaseAll() {
    while (count > 0) {
      releaseOldest();
    }
  }

  private void releaseOldest() {
    int slot = buffers[oldest];
    oldest = (oldest + 1) % MAX_SENDS;
    count--;
    pool.release(slot);
  }

  private void noteFailure() {
    if (failure.isEmpty()) {
      failure = Optional.of(channel.failure());
    }
  }
}
