// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.util.Optional;

/**
 * The buffers in flight on one channel, in the order in which they were sent. Made with the channel
 * and confined to its link's lock; nothing here blocks or, unless a send fails, allocates.
 *
 * <p>No thread waits for a single message, so a request is tested only when its buffer is needed.
 */
final class InFlightSends {
  /** A channel has 64 requests; the others are for directory messages. */
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

  /** How many are in flight. */
  int count() {
    return count;
  }

  /**
   * Posts the send of a buffer. Once posted, one of its references is kept here until the request
   * completes.
   *
   * @return whether it was posted. If not, the reference stays the caller's: the channel is full,
   *     or it has failed, see {@link #failure}
   * @throws IllegalStateException if {@value #MAX_SENDS} are in flight
   */
  boolean post(int buffer, int lengthBytes) {
    if (count == MAX_SENDS) {
      throw new IllegalStateException("a channel has at most " + MAX_SENDS + " sends in flight");
    }
    long request =
        channel.isend(pool.memory(), pool.offsetBytes(buffer), lengthBytes, BundleHeader.TAG);
    if (request == Channel.FAILED) {
      noteFailure();
    }
    if (request < 0) {
      return false;
    }
    int last = (oldest + count) % MAX_SENDS;
    requests[last] = request;
    buffers[last] = buffer;
    count++;
    return true;
  }

  /**
   * Releases the buffers of completed sends, in the order of posting.
   *
   * @return how many were released
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

  /** Why the first failed send failed; the channel is of no more use then. */
  Optional<TransportException> failure() {
    return failure;
  }

  /** Releases every buffer. Only after the channel is closed: then every request is complete. */
  void releaseAll() {
    while (count > 0) {
      releaseOldest();
    }
  }

  private void releaseOldest() {
    int buffer = buffers[oldest];
    oldest = (oldest + 1) % MAX_SENDS;
    count--;
    pool.release(buffer);
  }

  private void noteFailure() {
    if (failure.isEmpty()) {
      failure = Optional.of(channel.failure());
    }
  }
}
