// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

/** Does something after a while: JGroups' timer, or a test's own time. */
@FunctionalInterface
public interface Scheduler {
  /**
   * Runs a task once, on a thread that may block for the time of a name's look-up. If time has come
   * to its end (the timer is stopped) the task is dropped.
   *
   * @param delayMs milliseconds from now, 0 for at once
   */
  void after(long delayMs, Runnable task);
}
