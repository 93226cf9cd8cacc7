// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.MeshChannel;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A channel or connection in the making, as callers see it. Done on the set-up thread; cancelling
 * it gives the promise up, and never blocks but while the transport closes. A channel that is there
 * already, or comes after that, is closed on the set-up thread.
 *
 * @param <C> the kind of channel
 */
public final class PromisedFuture<C extends Channel> extends ChannelFuture<C> {
  private final ChannelPromise<? extends Channel> promise;
  private final Class<C> kind;

  private PromisedFuture(ChannelPromise<? extends Channel> promise, Class<C> kind) {
    this.promise = promise;
    this.kind = kind;
  }

  /**
   * Follows a promise.
   *
   * @param executor completes the future, because the promise may be done with a lock held, and
   *     closes a channel that was given up, because the thread that gives it up must not wait
   */
  public static <C extends Channel> PromisedFuture<C> of(
      ChannelPromise<? extends Channel> promise, Class<C> kind, Executor executor) {
    PromisedFuture<C> future = new PromisedFuture<>(promise, kind);
    future.whenComplete(
        (channel, why) -> {
          if (why != null) {
            // Cancelled, or completed by orTimeout: an accept is withdrawn, and takes no channel.
            promise.close(executor);
          }
        });
    promise.whenDone(() -> executor.execute(future::follow));
    return future;
  }

  private void follow() {
    C channel;
    try {
      channel = kind.cast(promise.get());
    } catch (TransportException e) {
      completeExceptionally(e);
      return;
    } catch (IllegalStateException e) {
      // Cancelled, and the promise has closed what came of it.
      cancel(false);
      return;
    }
    if (!complete(channel) && isCompletedExceptionally()) {
      ((MeshChannel) channel).abandon();
    }
  }

  /** The promise knows what is under way, and says so where the time passes. */
  @Override
  public C await(Duration timeout) throws TransportException {
    if (isDone()) {
      return super.await(timeout);
    }
    C channel;
    try {
      channel = kind.cast(promise.await(timeout));
    } catch (TransportException e) {
      completeExceptionally(e);
      throw e;
    } catch (IllegalStateException e) {
      cancel(false);
      return super.await(timeout);
    }
    complete(channel);
    return super.await(Duration.ZERO);
  }

  @Override
  public String toString() {
    return promise.toString();
  }
}
