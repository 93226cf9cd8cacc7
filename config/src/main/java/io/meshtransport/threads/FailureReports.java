// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import java.util.HashSet;
import java.util.Set;

/**
 * What went wrong in a place that must go on: tells of the first failure of each kind and counts
 * the others, so that one that repeats fills no log. Any thread; never throws.
 */
public final class FailureReports {
  /** Where reports go, such as a logger's warning. */
  @FunctionalInterface
  public interface Report {
    /**
     * @param text a sentence that names the place
     */
    void failed(String text, Throwable failure);
  }

  /** Beyond it a new kind is only counted. */
  private static final int MAX_KINDS = 32;

  private final String place;
  private final Report report;

  /** Those that were reported. */
  private final Set<Class<?>> kinds = new HashSet<>();

  private long count;
  private long untold;

  /**
   * @param place as in {@code thread mesh-setup}
   */
  public FailureReports(String place, Report report) {
    this.place = place;
    this.report = report;
  }

  /** Counts a failure, and reports it if it is the first of its kind. */
  public synchronized void add(Throwable failure) {
    count++;
    try {
      Class<?> kind = failure.getClass();
      if (!kinds.contains(kind) && kinds.size() < MAX_KINDS) {
        report.failed(
            place + " goes on after a failure; further ones of this kind are not told", failure);
        kinds.add(kind);
      }
    } catch (Throwable unreported) {
      // Memory may have ended, or the log's disk: the kind stays new, and the next one is told.
      untold++;
    }
  }

  /** Those that were to be told and could not be. */
  synchronized long untold() {
    return untold;
  }

  /** All failures so far. */
  public synchronized long count() {
    return count;
  }
}
