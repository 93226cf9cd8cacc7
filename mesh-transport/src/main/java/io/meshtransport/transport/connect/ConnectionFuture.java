// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.message.MeshConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A connection in the making, as callers see it. Done on the set-up thread; cancelling it gives the
 * promise up. A connection that comes after that is closed.
 */
public final class ConnectionFuture extends CompletableFuture<Connection> {
  private final ChannelPromise<? extends Channel> promise;

  private ConnectionFuture(ChannelPromise<? extends Channel> promise) {
    this.promise = promise;
  }

  /**
   * Follows a promise of a connection.
   *
   * @param executor completes the future, because the promise may be done with a lock held
   */
  public static ConnectionFuture of(ChannelPromise<? extends Channel> promise, Executor executor) {
    ConnectionFuture future = new ConnectionFuture(promise);
    promise.whenDone(() -> executor.execute(future::follow));
    return future;
  }

  private void follow() {
    MeshConnection connection;
    try {
      connection = (MeshConnection) promise.get();
    } catch (TransportException e) {
      completeExceptionally(e);
      return;
    } catch (IllegalStateException e) {
      // Cancelled, and the promise has closed what came of it.
      cancel(false);
      return;
    }
    if (!complete(connection)) {
      connection.abandon();
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean isCancelled = super.cancel(mayInterruptIfRunning);
    if (isCancelled) {
      promise.close();
    }
    return isCancelled;
  }
}
