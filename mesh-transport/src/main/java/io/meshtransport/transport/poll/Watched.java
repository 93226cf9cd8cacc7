// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

/**
 * Something that the {@link ProgressThread} moves along while its program does not poll it. Its
 * fields are that thread's.
 */
abstract class Watched {
  /** Returned by {@link #untilDueNs} if nothing is due. */
  static final long NEVER = Long.MAX_VALUE;

  /**
   * Whether the thread knows that something waits here. Guarded by the thread's monitor, as the
   * next.
   */
  boolean isWatched;

  Watched nextSubmitted;

  /** What {@link #polls} was when the thread polled or saw it last. */
  long pollsSeen;

  /** Scans in a row that found it attended. */
  int attendedScans;

  /** Whether the last scan found it attended. */
  boolean isAttended;

  /** Whether it is in the thread's list. */
  boolean isListed;

  /** Grows with each poll by the program. Any thread. */
  abstract long polls();

  /** Whether a thread of the program sleeps until something happens here. Any thread. */
  abstract boolean isAwaited();

  /**
   * Polls it. Never waits for a lock: the thread that has it polls.
   *
   * @param by asked for events to attach to
   * @return whether anything is left that only a poll moves along
   */
  abstract boolean progressUnpolled(ProgressThread by);

  /** The program polls again, or the thread has other events: none of this is reported there. */
  abstract void detach();

  /** Whether the thread learns of events here, rather than by polling again. */
  abstract boolean isAttached();

  /** Whether it stays in the list even while nothing waits here. Any thread. */
  boolean isPermanent() {
    return false;
  }

  /** Nanoseconds until a deadline passes that the program's thread does not end by itself. */
  long untilDueNs(long nowNs) {
    return NEVER;
  }
}
