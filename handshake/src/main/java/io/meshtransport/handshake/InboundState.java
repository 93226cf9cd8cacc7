// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where an accepted handshake stands.
 *
 * <pre>
 *     .-----------+------------> TOLD
 *     |           |
 *     |   .-------|-----------.
 *     |   |       |           v
 *   SILENT -> CHALLENGED -> WAITING -> OFFERING -> OFFERED -> ESTABLISHING -> ESTABLISHED
 *     |           |           |        |    |        |            |
 *     |           |           |        |    v        v            |
 *     |           |           |        |  DOOMED -> ABANDONING    |
 *     |           |           |        |    |          |          |
 *     +-----------+-----------+--------+----+----------+----------+--> FAILED
 * </pre>
 *
 * SILENT goes straight to WAITING, or TOLD, when no secret is set. TOLD: the peer only asked who we
 * are, and has its answer. DOOMED: it failed while the offer is still being made, so that there may
 * be something to give back. ABANDONING: it is being given back.
 */
enum InboundState {
  SILENT,
  CHALLENGED,
  TOLD,
  WAITING,
  OFFERING,
  OFFERED,
  ESTABLISHING,
  ESTABLISHED,
  DOOMED,
  ABANDONING,
  FAILED;

  private Set<InboundState> next() {
    return switch (this) {
      case SILENT -> EnumSet.of(CHALLENGED, TOLD, WAITING, FAILED);
      case CHALLENGED -> EnumSet.of(TOLD, WAITING, FAILED);
      case WAITING -> EnumSet.of(OFFERING, FAILED);
      case OFFERING -> EnumSet.of(OFFERED, DOOMED, FAILED);
      case OFFERED -> EnumSet.of(ESTABLISHING, ABANDONING);
      case ESTABLISHING -> EnumSet.of(ESTABLISHED, FAILED);
      case DOOMED -> EnumSet.of(ABANDONING, FAILED);
      case ABANDONING -> EnumSet.of(FAILED);
      case TOLD, ESTABLISHED, FAILED -> EnumSet.noneOf(InboundState.class);
    };
  }

  /** Whether a failure still changes the outcome. */
  boolean canFail() {
    return this == SILENT
        || this == CHALLENGED
        || this == WAITING
        || this == OFFERING
        || this == OFFERED;
  }

  boolean mayBecome(InboundState to) {
    return next().contains(to);
  }
}
