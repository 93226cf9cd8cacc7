// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A request that waits for its reply. Any thread may read it. */
final class Call {
  final long id;

  /** As the program gave it, for texts. */
  final Duration timeout;

  /** On the clock of System.nanoTime. */
  final long deadlineNs;

  /** Whether other calls to the peer waited for their replies when it began. */
  final boolean isOneOfMany;

  final CompletableFuture<ByteBuffer> reply = new CompletableFuture<>();

  /** What it was sent over; null while it is queued. Set with its peer's lock. */
  volatile Link link;

  Call(long id, Duration timeout, long deadlineNs, boolean isOneOfMany) {
    this.id = id;
    this.timeout = timeout;
    this.deadlineNs = deadlineNs;
    this.isOneOfMany = isOneOfMany;
  }
}
