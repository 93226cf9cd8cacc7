// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;

/**
 * A channel that is being connected or accepted. Any thread may call it.
 *
 * @param <C> the kind of channel
 */
public interface ChannelFuture<C extends Channel> extends AutoCloseable {
  /**
   * Whether the channel is READY or has failed, so that {@link #get} has an answer. Never blocks.
   */
  boolean isDone();

  /**
   * The channel, which is the caller's to close from then on. Never blocks.
   *
   * @throws IllegalStateException if {@link #isDone} is false
   * @throws TransportException why it failed, as {@link Transport#connect(byte[])} and {@link
   *     Listener#accept()} list it: a new exception for each call
   */
  C get() throws TransportException;

  /**
   * Waits until it is done.
   *
   * @return the channel, which is the caller's to close from then on
   * @throws TransportException why it failed; TIMED_OUT if the time passed, INTERRUPTED if the
   *     thread was interrupted (its interrupt status stays set): in both cases this future is then
   *     cancelled as by {@link #close}
   */
  C await(Duration timeout) throws TransportException;

  /**
   * Cancels it; if the channel is READY already and nothing has called {@link #get}, the channel is
   * closed. Does nothing after {@link #get}. Safe to call twice.
   */
  @Override
  void close();
}
