// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.util.ArrayList;
import java.util.List;

/**
 * The connections of a device whose next frames are deferred, to leave together with others.
 * Guarded by the device's lock, except {@link #oldest} and {@link #additions}.
 */
final class DeferredFlushes {
  /** Result of {@link #oldest} if there is none. */
  static final int NONE = 0;

  /** In the order of their additions. */
  private final List<MuxConnection> connections = new ArrayList<>();

  private volatile int oldest = NONE;
  private volatile int additions;

  /** Whether any is deferred. Any thread; may be stale by one {@link #add}. */
  boolean hasAny() {
    return oldest != NONE;
  }

  /**
   * Which addition has waited longest, or {@link #NONE}: as long as that is the same nobody has
   * flushed it. Any thread.
   */
  int oldest() {
    return oldest;
  }

  /** Changes with each {@link #add}. Any thread. */
  int additions() {
    return additions;
  }

  /** Written under the lock only, read by any thread. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void add(MuxConnection connection) {
    if (!connection.isDeferred()) {
      additions += additions == -1 ? 2 : 1;
      connection.setDeferred(additions);
      connections.add(connection);
      oldest = oldest == NONE ? additions : oldest;
    }
  }

  /** It is flushed by itself. */
  void remove(MuxConnection connection) {
    if (connection.isDeferred()) {
      connection.setDeferred(NONE);
      // The last: while all are flushed, one that was added anew is in the list twice.
      connections.remove(connections.lastIndexOf(connection));
      updateOldest();
    }
  }

  private void updateOldest() {
    oldest = connections.isEmpty() ? NONE : connections.get(0).deferredAs();
  }

  /** Flushes all of them; a connection that has ended has nothing. */
  void flush() {
    if (!hasAny()) {
      return;
    }
    oldest = NONE;
    // By index: an iterator would be garbage, and one that is added meanwhile is flushed, too.
    int done = 0;
    try {
      while (done < connections.size()) {
        MuxConnection connection = connections.get(done++);
        connection.setDeferred(NONE);
        connection.flush();
      }
    } finally {
      removeFirst(done);
    }
  }

  /** As {@link #flush}, but for connections whose frames may wait longer. */
  void flushDue(long nowNs) {
    // One that is flushed leaves the list, and others may join it behind.
    int at = 0;
    while (at < connections.size()) {
      MuxConnection connection = connections.get(at);
      if (connection.mayWait(nowNs)) {
        at++;
      } else {
        connections.remove(at);
        connection.setDeferred(NONE);
        updateOldest();
        connection.flush();
      }
    }
  }

  /** After a failure half way the others are still deferred, and flushed the next time. */
  private void removeFirst(int done) {
    if (done == connections.size()) {
      connections.clear();
    } else {
      connections.subList(0, done).clear();
    }
    updateOldest();
  }
}
