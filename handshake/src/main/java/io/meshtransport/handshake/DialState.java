// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.EnumSet;
import java.util.Set;

/**
 * The state of one connect or lookup, through all its attempts.
 *
 * <pre>
 *     .----------------------.
 *     v                      |
 *  QUEUED -> DIALING -> BACKING_OFF
 *     |         |            |
 *     +---------+------------+--> COMPLETING -> DONE
 * </pre>
 *
 * QUEUED: waits for its turn, so that many connects at once exhaust neither ports nor backlogs.
 * COMPLETING: the outcome is final and the future is being completed.
 */
enum DialState {
  QUEUED,
  DIALING,
  BACKING_OFF,
  COMPLETING,
  DONE;

  private Set<DialState> next() {
    return switch (this) {
      case QUEUED -> EnumSet.of(DIALING, COMPLETING);
      case DIALING -> EnumSet.of(BACKING_OFF, COMPLETING);
      case BACKING_OFF -> EnumSet.of(QUEUED, COMPLETING);
      case COMPLETING -> EnumSet.of(DONE);
      case DONE -> EnumSet.noneOf(DialState.class);
    };
  }

  boolean mayBecome(DialState to) {
    return next().contains(to);
  }
}
