// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.time.Duration;

/** Waiting for requests, with a deadline that only a mistake or a dead peer ever meets. */
final class RequestWaits {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private RequestWaits() {}

  /** Waits as the workload prescribes. */
  static long await(Channel channel, long request, Workload.Waiting waiting)
      throws TransportException {
    return waiting == Workload.Waiting.SPIN ? spin(channel, request) : park(channel, request);
  }

  /** Sleeps, after it has spun for MESH_SPIN_US. */
  private static long park(Channel channel, long request) throws TransportException {
    return requireCompleted(channel, request, channel.await(request, LIMIT));
  }

  /**
   * The same for a group.
   *
   * @param lengthsBytes filled with the length of each
   */
  static void await(Channel channel, long request, long[] lengthsBytes, Workload.Waiting waiting)
      throws TransportException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    long seen = channel.progressCount();
    long outcome = channel.test(request, lengthsBytes);
    while (outcome == Channel.PENDING && System.nanoTime() - deadline < 0) {
      seen = channel.awaitProgress(seen, sleep(waiting));
      outcome = channel.test(request, lengthsBytes);
    }
    requireCompleted(channel, request, outcome);
  }

  /**
   * Waits until a message of a group has arrived, and all before it.
   *
   * @param lengthsBytes filled with the length of each that has
   */
  static void awaitArrival(
      ReceiveChannel channel,
      long request,
      int index,
      long[] lengthsBytes,
      Workload.Waiting waiting)
      throws TransportException {
    long seen = channel.progressCount();
    if (channel.receivedSoFar(request, lengthsBytes) > index) {
      return;
    }
    long deadline = System.nanoTime() + LIMIT.toNanos();
    do {
      if (channel.state() == ChannelState.FAILED) {
        throw channel.failure();
      }
      if (System.nanoTime() - deadline > 0) {
        throw silent(channel);
      }
      if (waiting == Workload.Waiting.PARK) {
        seen = channel.awaitProgress(seen, LIMIT);
      }
    } while (channel.receivedSoFar(request, lengthsBytes) <= index);
  }

  /** Polls in a loop. */
  private static long spin(Channel channel, long request) throws TransportException {
    long outcome = channel.test(request);
    if (outcome == Channel.PENDING) {
      long deadline = System.nanoTime() + LIMIT.toNanos();
      do {
        outcome = channel.test(request);
      } while (outcome == Channel.PENDING && System.nanoTime() - deadline < 0);
    }
    return requireCompleted(channel, request, outcome);
  }

  /** Waits until all sends of a channel are in flight. */
  static void awaitPosted(SendChannel channel, Workload.Waiting waiting) throws TransportException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    long seen = channel.progressCount();
    while (channel.sendsNeedingProgress() > 0) {
      if (channel.state() == ChannelState.FAILED) {
        throw channel.failure();
      }
      if (System.nanoTime() - deadline > 0) {
        throw silent(channel);
      }
      seen = channel.awaitProgress(seen, sleep(waiting));
    }
  }

  private static Duration sleep(Workload.Waiting waiting) {
    return waiting == Workload.Waiting.SPIN ? Duration.ZERO : LIMIT;
  }

  /** A request that was begun. */
  static long requirePosted(Channel channel, long request) throws TransportException {
    if (request == Channel.BUSY) {
      throw new IllegalStateException(channel.route() + ": more requests than were counted");
    }
    return requireCompleted(channel, request, request);
  }

  private static long requireCompleted(Channel channel, long request, long outcome)
      throws TransportException {
    if (outcome == Channel.FAILED) {
      throw channel.failure(request);
    }
    if (outcome == Channel.PENDING) {
      throw silent(channel);
    }
    return outcome;
  }

  private static TransportException silent(Channel channel) {
    return new TransportException(
        TransportException.Reason.TIMED_OUT,
        "%s: nothing for %d s".formatted(channel.route(), LIMIT.toSeconds()));
  }
}
