// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where one connect of the owner stands, through all its attempts.
 *
 * <pre>
 *     .----------------------.
 *     v                      |
 *  QUEUED -> DIALING -> BACKING_OFF
 *     |         |            |
 *     +---------+------------+--> COMPLETING -> DONE
 * </pre>
 *
 * QUEUED: waits for its turn, so that a storm of connects exhausts neither ports nor backlogs.
 * COMPLETING: the outcome is settled and is being told.
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
