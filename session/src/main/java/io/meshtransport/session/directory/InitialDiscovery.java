// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * The first query of all seeds: over as soon as another node is known through one of them, or all
 * have been tried. A search for members that begins earlier would time out while links are being
 * opened. Any thread may call it.
 */
public final class InitialDiscovery {
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private int left;

  /** That many seeds will be queried. */
  synchronized void begin(int seeds) {
    left += seeds;
    if (left == 0) {
      over.complete(null);
    }
  }

  /**
   * A seed has been tried for the first time.
   *
   * @param isFound whether another node is known by that
   */
  synchronized void tried(boolean isFound) {
    left--;
    if (isFound || left == 0) {
      over.complete(null);
    }
  }

  /** Discovery was closed. */
  void end() {
    over.complete(null);
  }

  boolean isOver() {
    return over.isDone();
  }

  /**
   * Waits until it is over, until the time has passed, or until interrupted; the interrupt stays
   * set.
   *
   * @param silentMs how long if no seed answers: a seed that is silent for so long has no node
   * @param isAnswered whether a seed has answered by now
   * @param answeredMs how long then: a busy host may take long to accept a peer
   */
  public void await(long silentMs, BooleanSupplier isAnswered, long answeredMs) {
    try {
      over.get(silentMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      if (isAnswered.getAsBoolean() && answeredMs > silentMs) {
        await(answeredMs - silentMs, () -> false, 0);
      }
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("it never fails", e);
    }
  }
}
