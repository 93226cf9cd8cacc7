// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * One of JGroups' measuring programs, driven by calls where its own event loop reads keys. One
 * thread; a member has one at a time.
 */
interface PerfProgram {
  /** Notified by the program's own threads. */
  Progress progress();

  /**
   * Joins the program's group.
   *
   * @param stack file with the protocols
   * @param name of the member
   * @throws Exception any failure of JGroups
   */
  void join(String stack, String name) throws Exception;

  /**
   * Waits for the view.
   *
   * @throws TimeoutException if it does not come
   */
  default void awaitMembers(int members, Duration limit)
      throws InterruptedException, TimeoutException {
    progress().awaitMembers(members, limit);
  }

  /** Sets the load. */
  void setLoad(Load load);

  /**
   * Sets a load; earlier measurements are dropped.
   *
   * @param recording file that is to have a flight recording of the test that comes
   */
  default void prepare(Load load, Optional<Path> recording) {
    setLoad(load);
    progress().prepare(recording);
  }

  /** Starts the test on all members, and waits until the results are in or overdue. */
  void runTest() throws Exception;

  /**
   * What this member has measured since {@link #prepare}; waits until its test has ended.
   *
   * @throws ExecutionException if the test has failed
   * @throws TimeoutException if it does not end
   */
  default Figures report(Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return progress().await(limit);
  }

  /** Leaves the group. */
  void leave();
}
