// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.ConnectionPool.Key;
import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One connect or question the owner asked for, through all its attempts, until its future is
 * complete. Made and scheduled by {@link Dialer}. Confined to the event loop, except {@link
 * #future()} and what runs on callback threads: {@link BringUpStep} and whatever hangs on the
 * future.
 *
 * @param <T> what a connect that succeeded brings
 */
final class Dial<T> {
  private static final Logger LOG = LogManager.getLogger(Dial.class);

  /** Wait before the second attempt, in milliseconds; doubles with each further one. */
  static final int FIRST_BACKOFF_MS = 5;

  /** Longest wait between two attempts, in milliseconds. */
  static final int MAX_BACKOFF_MS = 200;

  /** What the owner does to its queue pair once the peer's is known. */
  @FunctionalInterface
  interface BringUpStep {
    void run() throws RefusedException;

    /** See {@link BringUp#whenUp}. */
    default CompletionStage<Void> whenUp() {
      return CompletableFuture.completedFuture(null);
    }
  }

  private final Dialer dialer;
  private final DialTarget target;
  private final Function<Dial<T>, OutboundConnection> newAttempt;
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private final long startedNs;
  private DialState state = DialState.QUEUED;
  private Future<?> deadline;
  private OutboundConnection attempt;
  private String lastFailure = "";

  /** Written on the event loop; any thread may read it, to tell it. */
  private volatile int attempts;

  /**
   * @param newAttempt makes the connection of an attempt, which is not dialled yet
   */
  Dial(Dialer dialer, DialTarget target, Function<Dial<T>, OutboundConnection> newAttempt) {
    this.dialer = dialer;
    this.target = target;
    this.newAttempt = newAttempt;
    startedNs = dialer.identity().nowNs();
  }

  private void become(DialState to) {
    if (!state.mayBecome(to)) {
      throw new IllegalStateException("dial: " + state + " cannot become " + to);
    }
    state = to;
  }

  DialTarget target() {
    return target;
  }

  CompletableFuture<T> future() {
    return future;
  }

  /** Attempts so far; what a kept connection did not carry, since it had ended, is part of one. */
  int attempts() {
    return attempts;
  }

  /** Nanoseconds since the owner asked. */
  long elapsedNs() {
    return dialer.identity().nowNs() - startedNs;
  }

  /** What it may mean that no answer came, in a sentence; nothing if none could. */
  private String silenceHint() {
    return state == DialState.DIALING
        ? " No answer came: the peer's program may be stopped or busy, the cable down or another, or a firewall may drop what arrives."
        : "";
  }

  /** Its deadline runs from now on, in the queue too. */
  void start() {
    deadline =
        dialer.after(
            target.deadlineNs() - dialer.identity().nowNs(),
            () -> abort(Reason.TIMED_OUT, "While " + state + "." + silenceHint() + lastFailure));
    dialer.enqueue(this);
  }

  /** Its turn has come. */
  void dial() {
    become(DialState.DIALING);
    attempts++;
    attempt = newAttempt.apply(this);
    if (!(target.canReuseConnection() && dialer.pool().reuse(Key.of(target), attempt))) {
      dialer.dial(target, attempt);
    }
  }

  /**
   * The attempt went over a kept connection which had ended, so that nobody heard of it: makes it
   * over one of its own.
   *
   * @return false if it is too late for that
   */
  boolean redial() {
    if (state != DialState.DIALING || dialer.isClosed()) {
      return false;
    }
    dialer.counters().count(Counter.REUSE_FAILED);
    attempt = newAttempt.apply(this);
    dialer.dial(target, attempt);
    return true;
  }

  /** The connection of an attempt that succeeded may be used again. */
  void returnToPool(OutboundConnection done) {
    dialer.pool().keep(done, Key.of(target));
  }

  /** Ends the connect, if it has not ended yet: deadline, cancellation or close. */
  void abort(Reason reason, String text) {
    if (state == DialState.DIALING) {
      attempt.refuse(reason, text);
    } else if (state == DialState.QUEUED || state == DialState.BACKING_OFF) {
      fail(reason, text, null);
    }
  }

  /** Runs the owner's part off the loop. */
  void bringUp(OutboundConnection answered, BringUpStep step) {
    dialer.call(
        () -> {
          try {
            requireNotCancelled();
            step.run();
            step.whenUp()
                .whenComplete(
                    (up, failure) ->
                        toLoop(
                            failure == null
                                ? answered::broughtUp
                                : () -> bringUpFailed(answered, failure)));
          } catch (RefusedException e) {
            toLoop(() -> answered.bringUpFailed(e.getMessage(), e));
          } catch (RuntimeException | Error e) {
            toLoop(() -> answered.bringUpFailed("Internal error on the connecting side.", e));
          }
        });
  }

  private static void bringUpFailed(OutboundConnection answered, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    answered.bringUpFailed(
        cause instanceof RefusedException
            ? cause.getMessage()
            : "Internal error on the connecting side.",
        cause);
  }

  /** A caller that cancelled may have destroyed its queue pair since. */
  private void requireNotCancelled() throws RefusedException {
    if (future.isDone()) {
      throw new RefusedException("The connecting side gave up.");
    }
  }

  private void toLoop(Runnable next) {
    try {
      dialer.loop().execute(next);
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: closed while a callback ran", target.purpose());
      future.completeExceptionally(failure(Reason.CLOSED, "", null));
    }
  }

  /**
   * @param success what has happened
   */
  void succeeded(Counter success, T outcome) {
    dialer.counters().count(success);
    LOG.log(LogLevels.decision(), "{}: {} after {} attempts", target.purpose(), success, attempts);
    complete(() -> future.complete(outcome));
  }

  /**
   * @param repeatable whether the peer was reached and nothing has been done yet that a further
   *     attempt could not repeat
   */
  void attemptFailed(Reason reason, String text, Throwable cause, boolean repeatable) {
    if (repeatable && mayRetry(reason) && !dialer.isClosed()) {
      lastFailure = " The last attempt ended with " + reason + ". " + text;
      backOff();
    } else {
      fail(reason, text, cause);
    }
  }

  private boolean mayRetry(Reason reason) {
    boolean dropped = reason == Reason.PEER_CLOSED || reason == Reason.BUSY;
    boolean outwaited = reason == Reason.BUSY && target.retriesBusyPeerUntilDeadline();
    return dropped && (outwaited || attempts <= dialer.retryCount());
  }

  private void backOff() {
    dialer.counters().count(Counter.RETRIED);
    become(DialState.BACKING_OFF);
    dialer.releaseTurn();
    long backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS << Math.min(attempts - 1, 8));
    // Up to as much again, at random: those who were dropped together must not return together.
    long jitterMs = dialer.identity().random().nextInt((int) backoffMs);
    dialer.after(TimeUnit.MILLISECONDS.toNanos(backoffMs + jitterMs), this::tryAgain);
  }

  private void tryAgain() {
    if (state == DialState.BACKING_OFF) {
      become(DialState.QUEUED);
      dialer.enqueue(this);
    }
  }

  private void fail(Reason reason, String text, Throwable cause) {
    dialer.counters().countOutboundFailure(reason);
    HandshakeException failure = failure(reason, text, cause);
    complete(() -> future.completeExceptionally(failure));
  }

  private HandshakeException failure(Reason reason, String text, Throwable cause) {
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(elapsedNs());
    String where = target.purpose() + " failed after " + elapsedMs + " ms, attempt " + attempts;
    return new HandshakeException(reason, where, text, cause);
  }

  private void complete(Runnable tell) {
    boolean hadTurn = state == DialState.DIALING;
    deadline.cancel(false);
    dialer.dequeue(this);
    become(DialState.COMPLETING);
    dialer.call(
        () -> {
          try {
            tell.run();
          } finally {
            // Whatever a dependent of the future does: the turn is another's now.
            toLoop(() -> done(hadTurn));
          }
        });
  }

  /** Tells the outcome without the loop and the callback threads; from any thread. */
  void abandon() {
    future.completeExceptionally(
        failure(Reason.CLOSED, "A callback of its owner hangs, or this host is overloaded.", null));
  }

  private void done(boolean hadTurn) {
    become(DialState.DONE);
    if (hadTurn) {
      dialer.releaseTurn();
    }
    dialer.done(this);
  }
}
