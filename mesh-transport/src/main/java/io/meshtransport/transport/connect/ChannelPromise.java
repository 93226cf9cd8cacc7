// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import io.meshtransport.transport.channel.LifeCycleState;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A channel in the making: the set-up completes or fails it, one caller gets the channel. Any
 * thread may call it.
 *
 * @param <C> the kind of channel
 */
public final class ChannelPromise<C extends Channel> {
  /**
   * The life of a promise.
   *
   * <pre>
   * OPENING -> OPEN -> ACCEPTED
   *    |  |      |
   *    |  |      +-> CANCELLED
   *    |  +-> FAILED
   *    +-> CANCELLED
   * </pre>
   */
  public enum State implements LifeCycleState<State> {
    OPENING,
    /** There is a channel, and the caller does not have it yet. */
    OPEN,
    /** The caller has the channel. */
    ACCEPTED,
    FAILED,
    /** The caller has given it up. */
    CANCELLED;

    @Override
    public boolean mayBecome(State next) {
      return switch (next) {
        case OPENING -> false;
        case OPEN, FAILED -> this == OPENING;
        case ACCEPTED -> this == OPEN;
        case CANCELLED -> this == OPENING || this == OPEN;
      };
    }
  }

  private final String about;
  private final Runnable onGivenUp;
  private final Supplier<String> silence;
  private State state = State.OPENING;
  private C channel;
  private TransportException failure;
  private Runnable onDone = () -> {};

  /**
   * @param about who is being connected to, for failure texts
   * @param onGivenUp runs at most once, when the caller gives up before there is a channel
   */
  ChannelPromise(String about, Runnable onGivenUp) {
    this(about, onGivenUp, () -> "Is the peer up, and does it connect?");
  }

  /**
   * @param silence what is known when the caller's time is over, for its failure's text
   */
  ChannelPromise(String about, Runnable onGivenUp, Supplier<String> silence) {
    this.silence = silence;
    this.about = about;
    this.onGivenUp = onGivenUp;
  }

  /**
   * The channel is ready.
   *
   * @return false if the caller has given it up; it stays the set-up's then
   */
  synchronized boolean complete(C ready) {
    if (state != State.OPENING) {
      return false;
    }
    channel = ready;
    become(State.OPEN);
    return true;
  }

  private void become(State next) {
    boolean wasDone = state != State.OPENING;
    state = state.next(next, this);
    notifyAll();
    if (!wasDone) {
      onDone.run();
    }
  }

  /**
   * Runs something once there is a channel or a failure, or the promise is cancelled: now, if that
   * was before. With the promise's monitor, so it must return at once.
   */
  synchronized void whenDone(Runnable action) {
    if (state == State.OPENING) {
      onDone = action;
    } else {
      action.run();
    }
  }

  /** There will be no channel. Does nothing if the promise is completed or failed already. */
  synchronized void fail(TransportException why) {
    if (state == State.OPENING) {
      failure = why;
      become(State.FAILED);
    }
  }

  synchronized boolean isDone() {
    return state != State.OPENING;
  }

  /**
   * The channel, which is the caller's to close from then on. Never blocks.
   *
   * @throws IllegalStateException if there is none yet, or the promise was given up
   * @throws TransportException why it failed
   */
  synchronized C get() throws TransportException {
    return switch (state) {
      case OPENING ->
          throw new IllegalStateException(about + ": not open yet; ask isDone first, or await");
      case OPEN -> {
        become(State.ACCEPTED);
        yield channel;
      }
      case ACCEPTED -> channel;
      case FAILED -> throw failure.copy();
      case CANCELLED -> throw new IllegalStateException(about + ": given up before");
    };
  }

  /**
   * Waits until there is a channel, and gives the promise up if the time passes.
   *
   * @throws IllegalStateException if the promise was given up before
   */
  C await(Duration timeout) throws TransportException {
    // A channel that came since the time passed is not given up but handed out.
    if (awaitDone(WaitTimes.nanos(timeout)) || !giveUp()) {
      return get();
    }
    String known;
    try {
      // First, since giving up ends the attempts that the text describes.
      known = silence.get();
    } finally {
      onGivenUp.run();
    }
    throw Thread.currentThread().isInterrupted()
        ? new TransportException(
            Reason.INTERRUPTED, about + ": the waiting thread was interrupted.")
        : new TransportException(
            Reason.TIMED_OUT,
            about
                + ": no channel within "
                + TimeUnit.NANOSECONDS.toMillis(WaitTimes.nanos(timeout))
                + " ms. "
                + known);
  }

  /**
   * @return false if it is completed, failed or cancelled already
   */
  private synchronized boolean giveUp() {
    if (state != State.OPENING) {
      return false;
    }
    become(State.CANCELLED);
    return true;
  }

  private synchronized boolean awaitDone(long timeoutNs) {
    long startNs = System.nanoTime();
    try {
      while (state == State.OPENING) {
        long leftNs = timeoutNs - (System.nanoTime() - startNs);
        if (leftNs <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(this, leftNs);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public synchronized String toString() {
    return about + ": " + state;
  }

  /**
   * Gives the promise up. Never blocks but while the transport closes.
   *
   * @param closer closes a channel that is there and that no caller has, which waits for the peer;
   *     on this thread once the transport closes
   */
  void close(Executor closer) {
    State before;
    synchronized (this) {
      before = state;
      if (before == State.OPENING || before == State.OPEN) {
        become(State.CANCELLED);
      }
    }
    if (before == State.OPENING) {
      onGivenUp.run();
    } else if (before == State.OPEN) {
      closer.execute(channel::close);
    }
  }
}
