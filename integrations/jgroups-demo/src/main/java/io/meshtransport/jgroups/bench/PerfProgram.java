package io.meshtransport.jgroups.bench;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * One of JGroups' measuring programs, driven by calls where its own event loop reads keys. One
 * thread; a member has one at a time.
 */
interface PerfProgram {
  /** Which. */
  enum Kind {
    /** Calls to one or two others at a time, each with an answer. */
    UPERF("UPerf"),
    /** Messages to all, as fast as flow control lets them. */
    MPERF("MPerf");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** What JGroups calls it. */
    String label() {
      return label;
    }

    PerfProgram create() throws Exception {
      return this == UPERF ? new MeasuredUPerf() : new MeasuredMPerf();
    }
  }

  /**
   * Joins the program's group.
   *
   * @param stack file with the protocols
   * @param name of the member
   * @throws Exception whatever JGroups has against it
   */
  void join(String stack, String name) throws Exception;

  /**
   * Waits for the view.
   *
   * @throws TimeoutException if it does not come
   */
  void awaitMembers(int members, Duration limit) throws InterruptedException, TimeoutException;

  /** Takes a load; what was measured before is forgotten. */
  void prepare(Load load);

  /** Starts the test on all members, and waits until the results are in or overdue. */
  void lead() throws Exception;

  /**
   * What this member has measured since {@link #prepare}; waits until its test has ended.
   *
   * @throws TimeoutException if it does not end
   */
  Figures report(Duration limit) throws Exception;

  /** Leaves the group. */
  void leave();
}
