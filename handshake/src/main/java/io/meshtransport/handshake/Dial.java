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
 * One connect or lookup, through all its attempts, until its future is complete. Created and
 * scheduled by {@link Dialer}. Confined to the event loop, except {@link #future()} and the code
 * that runs on callback threads: {@link BringUpStep} and the future's dependents.
 *
 * @param <T> the result of a success
 */
final class Dial<T> {
  private static final Logger LOG = LogManager.getLogger(Dial.class);

  /** Wait before the second attempt, in milliseconds; doubles with each further one. */
  static final int FIRST_BACKOFF_MS = 5;

  /** Max wait between two attempts, in milliseconds. */
  static final int MAX_BACKOFF_MS = 200;

  /** Brings up the caller's queue pair once the peer's is known. */
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
  private long attemptBegunNs;
  private String lastFailure = "";

  /** Written on the event loop; any thread may read it, for failure texts. */
  private volatile int attempts;

  /**
   * @param newAttempt creates the connection of an attempt, not dialed yet
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

  /** Attempts so far. One that had to dial because its idle connection was closed counts once. */
  int attempts() {
    return attempts;
  }

  /** Nanoseconds since the caller began it. */
  long elapsedNs() {
    return dialer.identity().nowNs() - startedNs;
  }

  /** When it passed, and possible causes, for failure texts. */
  private String deadlineText() {
    return switch (state) {
      case DIALING -> "It passed " + attempt.state().text() + "." + attempt.silenceHint();
      case QUEUED ->
          "It passed before this began. Others of this node were before it: it has %d connects and lookups on the wire at once."
              .formatted(dialer.maxTurns());
      default -> "It passed between two attempts.";
    };
  }

  /** Queues it; its deadline runs from now on, in the queue too. */
  void start() {
    deadline =
        dialer.after(
            target.deadlineNs() - dialer.identity().nowNs(),
            () -> abort(Reason.TIMED_OUT, deadlineText() + lastFailure));
    dialer.enqueue(this);
  }

  /** Begins an attempt. */
  void dial() {
    become(DialState.DIALING);
    attempts++;
    attemptBegunNs = dialer.identity().nowNs();
    attempt = newAttempt.apply(this);
    if (!(target.canReuseConnection() && dialer.pool().reuse(Key.of(target), attempt))) {
      dialer.dial(target, attempt);
    }
  }

  /**
   * The attempt used an idle connection that turned out to be closed, so the peer has not read it:
   * repeats it over a new connection.
   *
   * @return false if it has ended meanwhile
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

  /** Puts the connection of an attempt that succeeded into the pool. */
  void returnToPool(OutboundConnection done) {
    dialer.pool().keep(done, Key.of(target));
  }

  /** Fails it, unless it has ended: for a deadline, a cancellation or a close. */
  void abort(Reason reason, String text) {
    if (state == DialState.DIALING) {
      attempt.refuse(reason, text);
    } else if (state == DialState.QUEUED || state == DialState.BACKING_OFF) {
      fail(reason, text, null);
    }
  }

  /** Runs the caller's step on a callback thread. */
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

  /** A caller that cancelled may have destroyed its queue pair by now. */
  private void requireNotCancelled() throws RefusedException {
    if (future.isDone()) {
      throw new RefusedException("The connecting side cancelled.");
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
   * @param success the counter of this success
   */
  void succeeded(Counter success, T outcome) {
    dialer.counters().count(success);
    LOG.log(LogLevels.decision(), "{}: {} after {} attempts", target.purpose(), success, attempts);
    complete(() -> future.complete(outcome));
  }

  /**
   * @param repeatable whether the peer was reached and nothing was done that a further attempt
   *     could not repeat
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
    boolean isPatient = reason == Reason.BUSY && target.retriesBusyPeerUntilDeadline();
    boolean isLate =
        reason == Reason.PEER_CLOSED
            && dialer.identity().nowNs() - attemptBegunNs > target.maxDropNs();
    return dropped && !isLate && (isPatient || attempts <= dialer.retryCount());
  }

  private void backOff() {
    dialer.counters().count(Counter.RETRIED);
    become(DialState.BACKING_OFF);
    dialer.releaseTurn();
    long backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS << Math.min(attempts - 1, 8));
    // Up to as much again, at random: peers that were dropped together must not retry together.
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

  private void complete(Runnable completion) {
    boolean hadTurn = state == DialState.DIALING;
    deadline.cancel(false);
    dialer.dequeue(this);
    become(DialState.COMPLETING);
    dialer.call(
        () -> {
          try {
            completion.run();
          } finally {
            // Whatever a dependent of the future throws, the next dial gets its turn.
            toLoop(() -> done(hadTurn));
          }
        });
  }

  /** Completes the future without the event loop and the callback threads; any thread. */
  void abandon() {
    future.completeExceptionally(
        failure(
            Reason.CLOSED, "A callback of the caller hangs, or this host is overloaded.", null));
  }

  private void done(boolean hadTurn) {
    become(DialState.DONE);
    if (hadTurn) {
      dialer.releaseTurn();
    }
    dialer.done(this);
  }
}
