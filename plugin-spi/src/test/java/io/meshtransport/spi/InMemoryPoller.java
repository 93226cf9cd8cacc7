// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Arrays;

/**
 * Polls one connection after the other. The array is replaced, never changed; guarded by itself.
 */
final class InMemoryPoller implements Poller {
  private static final InMemoryEnd[] NONE = {};

  private final InMemoryTransport owner;
  private volatile InMemoryEnd[] connections = NONE;
  private volatile boolean closed;
  private volatile boolean transportClosed;
  private long signals;
  private boolean woken;
  private int first;

  InMemoryPoller(InMemoryTransport owner) {
    this.owner = owner;
  }

  @Override
  public void add(Connection connection) {
    if (!(connection instanceof InMemoryEnd end) || end.owner() != owner) {
      throw new IllegalArgumentException(connection + " belongs to another transport");
    }
    requireOpen();
    // Before the monitor: a connection signals a poller while its own lock is held.
    end.pollAt(this);
    synchronized (this) {
      connections = Arrays.copyOf(connections, connections.length + 1);
      connections[connections.length - 1] = end;
      signal();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the poller is closed");
    }
  }

  private synchronized void remove(InMemoryEnd end) {
    connections =
        Arrays.stream(connections).filter(each -> each != end).toArray(InMemoryEnd[]::new);
  }

  @Override
  public int poll(Completions into) {
    into.clear();
    requireOpen();
    InMemoryEnd[] polled = connections;
    for (int i = 0; i < polled.length && !into.isFull(); i++) {
      // Begins with another one each time, so that a busy connection leaves others their entries.
      InMemoryEnd end = polled[(first + i) % polled.length];
      if (end.report(into)) {
        remove(end);
      }
    }
    first = polled.length == 0 ? 0 : (first + 1) % polled.length;
    if (transportClosed && into.count() == 0) {
      throw new IllegalStateException("the poller is closed, as its transport is");
    }
    return into.count();
  }

  @Override
  public int await(Completions into, long timeoutNs) {
    long begin = System.nanoTime();
    while (true) {
      long seen = signals();
      int count = poll(into);
      if (timeoutNs > 0 && isWoken() || count > 0 || Thread.currentThread().isInterrupted()) {
        return count;
      }
      long left = Math.max(0, timeoutNs) - (System.nanoTime() - begin);
      if (left <= 0) {
        return 0;
      }
      sleep(seen);
    }
  }

  private synchronized long signals() {
    return signals;
  }

  private synchronized boolean isWoken() {
    boolean result = woken;
    woken = false;
    return result;
  }

  /** Sleeps for a millisecond at most, because deadlines pass without a signal. */
  private synchronized void sleep(long seen) {
    try {
      if (signals == seen && !woken) {
        wait(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  synchronized void signal() {
    signals++;
    notifyAll();
  }

  @Override
  public synchronized void wakeup() {
    woken = true;
    notifyAll();
  }

  @Override
  public int fd() {
    throw new UnsupportedOperationException("nothing in memory has a descriptor");
  }

  @Override
  public boolean arm() {
    throw new UnsupportedOperationException("nothing in memory has a descriptor");
  }

  /** Its connections are closed: what they have not reported yet is all there will be. */
  void transportClosed() {
    transportClosed = true;
    signal();
    owner.forget(this);
  }

  @Override
  public void close() {
    InMemoryEnd[] left;
    synchronized (this) {
      closed = true;
      left = connections;
      connections = NONE;
      notifyAll();
    }
    for (InMemoryEnd end : left) {
      end.leavePoller();
    }
    owner.forget(this);
  }
}
