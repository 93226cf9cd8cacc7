// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** What {@link MeshChannel#closeAsync} answers of one channel. Any thread may call it. */
final class CloseStage {
  /** Null until it is asked for. */
  private final AtomicReference<CompletableFuture<Void>> end = new AtomicReference<>();

  /**
   * Complete already if the channel is closed.
   *
   * @param isClosed whether it is; asked the first time only
   * @param begin begins to close it otherwise
   */
  CompletionStage<Void> get(BooleanSupplier isClosed, Runnable begin) {
    CompletableFuture<Void> made = new CompletableFuture<>();
    CompletableFuture<Void> before = end.compareAndExchange(null, made);
    if (before != null) {
      return before.minimalCompletionStage();
    }
    if (isClosed.getAsBoolean()) {
      made.complete(null);
    } else {
      begin.run();
    }
    return made.minimalCompletionStage();
  }

  /** The channel is closed. What depends on that may block, so it runs on another thread. */
  void closed() {
    CompletableFuture<Void> asked = end.get();
    if (asked == null) {
      return;
    }
    try {
      asked.completeAsync(() -> null);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // No thread to be had.
      asked.complete(null);
    }
  }
}
