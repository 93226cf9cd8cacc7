// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.time.WaitTimes;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** The blocking forms of requests that never block. Has no state. */
final class Blocking {
  private static final Duration MOMENT = Duration.ofMillis(10);

  /** In which an interrupted thread waits for the peer's answer that a receive is taken back. */
  private static final Duration WITHDRAWAL = Duration.ofMillis(500);

  private Blocking() {}

  /**
   * Begins a request and waits until it is complete. The request has its own deadline, so it ends
   * even if this wait is the shorter one.
   */
  static long finish(Channel channel, LongSupplier begin, Duration timeout)
      throws TransportException {
    return finish(channel, begin, timeout, false);
  }

  /** As {@link #finish}, of a receive, which an interrupt takes back where that can be done. */
  static long receive(ReceiveChannel channel, LongSupplier begin, Duration timeout)
      throws TransportException {
    return finish(channel, begin, timeout, true);
  }

  private static long finish(
      Channel channel, LongSupplier begin, Duration timeout, boolean isReceive)
      throws TransportException {
    if (channel.isPolled()) {
      throw new IllegalStateException(
          channel.route()
              + ": this connection is at a poller, which reports the ends of its requests. Begin the"
              + " request, and take its end from there");
    }
    long request = begin.getAsLong();
    if (request == Channel.BUSY) {
      throw new TransportException(
          TransportException.Reason.BUSY,
          channel.route()
              + ": "
              + channel.maxRequests()
              + " requests are outstanding"
              + (isReceive && channel instanceof Connection
                  ? ", or as many receives of groups and messages of multi-receives are awaited as"
                      + " there may be"
                  : "")
              + ". Test some of them, then try again.");
    }
    if (request == Channel.FAILED) {
      throw channel.failure(request);
    }
    long outcome = channel.await(request, timeout);
    while (outcome == Channel.PENDING) {
      if (Thread.currentThread().isInterrupted()) {
        if (isReceive && channel instanceof Connection connection) {
          outcome = takeBack(connection, request);
          break;
        }
        channel.detach(request);
        throw interrupted(
            channel,
            isReceive
                ? "the receive goes on until its deadline, and a message that comes by then is lost."
                : "the request goes on until its deadline.");
      }
      // The request's own deadline passes about now; the request then takes up to another 100 ms
      // to notify the peer.
      outcome = channel.await(request, MOMENT);
    }
    if (outcome == Channel.FAILED) {
      throw channel.failure(request);
    }
    return outcome;
  }

  /**
   * Takes a receive back: it would have the next message otherwise, of which its caller would never
   * know.
   *
   * @return as {@link Channel#test(long)}, if it has ended otherwise meanwhile
   */
  private static long takeBack(Connection connection, long request) throws TransportException {
    connection.withdraw(request);
    long beginNs = System.nanoTime();
    long outcome = Channel.PENDING;
    Duration left = WITHDRAWAL;
    // Interrupted again, it waits on: the answer takes a round trip.
    while (outcome == Channel.PENDING && !left.isNegative()) {
      Thread.interrupted();
      try {
        outcome = connection.await(request, left);
      } finally {
        Thread.currentThread().interrupt();
      }
      left = WITHDRAWAL.minusNanos(System.nanoTime() - beginNs);
    }
    if (outcome == Channel.PENDING) {
      connection.detach(request);
      throw interrupted(
          connection,
          "the receive is taken back, which the peer has not confirmed within "
              + WITHDRAWAL.toMillis()
              + " ms: a message that was on its way to it is lost.");
    }
    if (outcome == Channel.FAILED
        && connection.failure(request).reason() == TransportException.Reason.WITHDRAWN) {
      throw interrupted(
          connection, "the receive was taken back, and the next message is for the next receive.");
    }
    return outcome;
  }

  private static TransportException interrupted(Channel channel, String consequence) {
    return new TransportException(
        TransportException.Reason.INTERRUPTED,
        channel.route() + ": the waiting thread was interrupted; " + consequence);
  }

  /**
   * Waits for a channel; cancels the future if it is not there in time.
   *
   * @param what is waited for, for people
   */
  static <C> C get(CompletableFuture<C> future, Duration timeout, String what)
      throws TransportException {
    try {
      return future.get(WaitTimes.nanos(timeout), TimeUnit.NANOSECONDS);
    } catch (CancellationException e) {
      throw cancelled(what);
    } catch (ExecutionException e) {
      throw failure(e.getCause(), what);
    } catch (TimeoutException e) {
      return lastChance(
          future,
          new TransportException(
              TransportException.Reason.TIMED_OUT, what + ": not done within " + timeout + "."),
          what);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return lastChance(
          future,
          new TransportException(
              TransportException.Reason.INTERRUPTED, what + ": the thread was interrupted."),
          what);
    }
  }

  /**
   * The channel, if it came at the last moment; the caller, who never gets it, could not close it.
   */
  private static <C> C lastChance(
      CompletableFuture<C> future, TransportException otherwise, String what)
      throws TransportException {
    if (future.cancel(false)) {
      throw otherwise;
    }
    try {
      return future.join();
    } catch (CompletionException e) {
      throw failure(e.getCause(), what);
    } catch (CancellationException e) {
      throw cancelled(what);
    }
  }

  private static TransportException cancelled(String what) {
    return new TransportException(
        TransportException.Reason.CLOSED, what + ": it was cancelled before.");
  }

  private static TransportException failure(Throwable cause, String what) {
    return cause instanceof TransportException known
        ? known.copy()
        : new TransportException(
            TransportException.Reason.DEVICE, what + " failed unexpectedly: " + cause, cause);
  }
}
