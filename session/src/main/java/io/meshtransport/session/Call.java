// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A request that waits for its reply. Any thread may read it. */
final class Call {
  final long id;
  final long deadlineNs;

  /** Calls to the peer that waited for their replies when it began, itself included. */
  final int waiting;

  final CompletableFuture<ByteBuffer> reply = new CompletableFuture<>();

  /** What it was sent over; null while it is queued. Set with its peer's lock. */
  volatile Link link;

  /**
   * @param deadlineNs on the clock of System.nanoTime
   */
  Call(long id, long deadlineNs, int waiting) {
    this.id = id;
    this.deadlineNs = deadlineNs;
    this.waiting = waiting;
  }

  /** Whether other calls to the peer waited for their replies when it began. */
  boolean isOneOfMany() {
    return waiting > 1;
  }
}
