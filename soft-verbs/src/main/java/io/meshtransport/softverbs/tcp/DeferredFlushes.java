// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.util.ArrayList;
import java.util.List;

/**
 * The connections of a device whose next frames are deferred, to leave together with others.
 * Guarded by the device's lock, except {@link #hasAny} and {@link #additions}.
 */
final class DeferredFlushes {
  private final List<MuxConnection> connections = new ArrayList<>();
  private volatile boolean hasAny;
  private volatile int additions;

  /** Any thread. May be stale by one {@link #add}. */
  boolean hasAny() {
    return hasAny;
  }

  /** Changes with each {@link #add}. Any thread. */
  int additions() {
    return additions;
  }

  /** Written under the lock only, read by any thread. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void add(MuxConnection connection) {
    if (!connection.isDeferred()) {
      connection.setDeferred(true);
      connections.add(connection);
      additions++;
      hasAny = true;
    }
  }

  /** Flushes all of them; a connection that has ended has nothing. */
  void flush() {
    if (!hasAny) {
      return;
    }
    hasAny = false;
    // By index: an iterator would be garbage, and one that is added meanwhile is flushed, too.
    int done = 0;
    try {
      while (done < connections.size()) {
        MuxConnection connection = connections.get(done++);
        connection.setDeferred(false);
        connection.flush();
      }
    } finally {
      removeFirst(done);
    }
  }

  /** After a failure half way the others are still deferred, and flushed the next time. */
  private void removeFirst(int done) {
    if (done == connections.size()) {
      connections.clear();
    } else {
      connections.subList(0, done).clear();
      hasAny = true;
    }
  }
}
