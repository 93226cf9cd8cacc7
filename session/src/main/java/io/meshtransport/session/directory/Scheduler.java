// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

/** Runs tasks after a delay: a timer of the layer above, or a test's virtual time. */
@FunctionalInterface
public interface Scheduler {
  /**
   * Runs a task once, on a thread that may block as long as a name is resolved. Drops the task if
   * the timer is stopped.
   *
   * @param delayMs milliseconds from now, 0 for at once
   */
  void after(long delayMs, Runnable task);
}
