// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A channel or connection that is being connected or accepted: a {@link CompletableFuture} that
 * fails with a {@link TransportException} only, and can be waited for with a deadline. It is done
 * on a thread of the transport, which its dependents must not block. Any thread may call it.
 *
 * <p>Cancelling it gives the channel up and never blocks but while the transport closes: an accept
 * is withdrawn, and a channel that is there and that nobody has yet, or that comes afterwards, is
 * closed by the transport. The same holds where it fails otherwise, as by {@link #orTimeout}.
 *
 * @param <C> the kind of channel
 */
public class ChannelFuture<C extends Channel> extends CompletableFuture<C>
    implements AutoCloseable {
  private volatile boolean isTaken;

  /** For transports, which complete it. */
  public ChannelFuture() {}

  /**
   * Waits until it is done.
   *
   * @param timeout max wait; with 0 or less it is given up unless it is done already
   * @return the channel, which is the caller's to close from then on
   * @throws TransportException why it failed, as {@link Transport#connect(byte[])} and {@link
   *     Listener#accept()} list it: a new exception for each call; TIMED_OUT if the time passed,
   *     INTERRUPTED if the thread was interrupted (its interrupt status stays set), CLOSED if it
   *     was cancelled before. In the first two cases this future is cancelled then
   */
  public C await(Duration timeout) throws TransportException {
    C channel = Blocking.get(this, timeout, "waiting for a channel");
    taken();
    return channel;
  }

  /** For transports: a caller has got the channel by {@link #await}. */
  protected final void taken() {
    isTaken = true;
  }

  /**
   * Gives it up: cancels it, or closes the channel if that is there already and no {@link #await}
   * has returned it. Safe to call twice. Not for a future whose channel a dependent has got.
   */
  @Override
  public void close() {
    if (!cancel(false) && !isTaken && !isCompletedExceptionally()) {
      join().close();
    }
  }
}
