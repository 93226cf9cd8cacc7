// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import java.util.HashSet;
import java.util.Set;

/**
 * Failures of code that must go on: reports the first of each kind and counts the others, so that a
 * repeated failure does not fill the log. Any thread; never throws.
 */
public final class FailureReports {
  /** Receives the reports, such as a logger's warning. */
  @FunctionalInterface
  public interface Report {
    /**
     * @param text a sentence that names the place
     */
    void failed(String text, Throwable failure);
  }

  /** Max kinds that are reported; a further kind is only counted. */
  private static final int MAX_KINDS = 32;

  private final String place;
  private final Report report;

  /** The kinds that were reported. */
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
            place + " goes on after a failure; further ones of this kind are not reported",
            failure);
        kinds.add(kind);
      }
    } catch (Throwable unreported) {
      // Memory may have run out, or the log's disk: the kind stays new, so the next one is
      // reported.
      untold++;
    }
  }

  /** Number of failures whose report failed. */
  synchronized long untold() {
    return untold;
  }

  /** Number of failures so far. */
  public synchronized long count() {
    return count;
  }
}
