// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;

/**
 * A channel on its way to READY. Any thread may call it.
 *
 * @param <C> the kind of channel
 */
public interface ChannelFuture<C extends Channel> extends AutoCloseable {
  /** Whether {@link #get} would return or throw its reason. Never blocks. */
  boolean isDone();

  /**
   * The channel, which is the caller's to close from then on. Never blocks.
   *
   * @throws IllegalStateException if it is not done yet
   * @throws TransportException why it failed: a new one for each call
   */
  C get() throws TransportException;

  /**
   * Waits for the end.
   *
   * @throws TransportException why it failed; TIMED_OUT if the time passed, INTERRUPTED if the
   *     thread was interrupted (the interrupt stays set): the opening is then given up as by {@link
   *     #close}
   */
  C await(Duration timeout) throws TransportException;

  /** Gives it up: a channel nobody got from it is closed. After {@link #get} this does nothing. */
  @Override
  void close();
}
