// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * What the own thread of a {@link Driver} is at.
 *
 * <pre>
 * DRIVING <-> RUNNING <-> PARKED
 * </pre>
 */
enum DriverThreadState {
  /** It decides what to do, keeps off while a lease runs, or watches deferred flushes. */
  RUNNING,
  /** It has the driver lock. */
  DRIVING,
  /** It is parked until the driver lock is free. */
  PARKED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(DriverThreadState next) {
    return next != this && (this == RUNNING || next == RUNNING);
  }
}
