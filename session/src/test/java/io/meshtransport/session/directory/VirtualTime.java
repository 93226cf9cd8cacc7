// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.PriorityQueue;

/** A clock that the test advances; tasks run on the test's thread. */
public final class VirtualTime implements Scheduler {
  private record Task(long atMs, long order, Runnable task) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      return atMs != other.atMs ? Long.compare(atMs, other.atMs) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long order;
  private long nowMs;

  @Override
  public void after(long delayMs, Runnable task) {
    tasks.add(new Task(nowMs + delayMs, order++, task));
  }

  public long nowMs() {
    return nowMs;
  }

  /** Lets so much time pass; 0 runs what is due now. */
  public void pass(long ms) {
    long untilMs = nowMs + ms;
    while (!tasks.isEmpty() && tasks.peek().atMs() <= untilMs) {
      Task next = tasks.poll();
      nowMs = next.atMs();
      next.task().run();
    }
    nowMs = untilMs;
  }
}
