// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.EnumSet;
import java.util.Set;

/**
 * The state of an accepted handshake.
 *
 * <pre>
 *     .-----------+-----------> HANDLE_SENT
 *     |           |
 *     |   .-------|-----------.
 *     |   |       |           v
 *  ACCEPTED -> CHALLENGED -> QUEUED -> PREPARING -> OFFERED -> ESTABLISHING -> ESTABLISHED
 *     |           |           |        |    |         |            |
 *     |           |           |        |    v         v            |
 *     |           |           |        | CANCELLING -> ABANDONING  |
 *     |           |           |        |    |          |           |
 *     +-----------+-----------+--------+----+----------+-----------+--> FAILED
 * </pre>
 *
 * ACCEPTED goes straight to QUEUED, or HANDLE_SENT, when no secret is set. HANDLE_SENT: the peer
 * queried our handle only, and has it. QUEUED: waits for a permit. PREPARING: the acceptor makes
 * its offer. CANCELLING: the handshake failed meanwhile, so an offer must be abandoned. ABANDONING:
 * the acceptor destroys the queue pair.
 */
enum InboundState {
  ACCEPTED,
  CHALLENGED,
  HANDLE_SENT,
  QUEUED,
  PREPARING,
  OFFERED,
  ESTABLISHING,
  ESTABLISHED,
  CANCELLING,
  ABANDONING,
  FAILED;

  private Set<InboundState> next() {
    return switch (this) {
      case ACCEPTED -> EnumSet.of(CHALLENGED, HANDLE_SENT, QUEUED, FAILED);
      case CHALLENGED -> EnumSet.of(HANDLE_SENT, QUEUED, FAILED);
      case QUEUED -> EnumSet.of(PREPARING, FAILED);
      case PREPARING -> EnumSet.of(OFFERED, CANCELLING, FAILED);
      case OFFERED -> EnumSet.of(ESTABLISHING, ABANDONING);
      case ESTABLISHING -> EnumSet.of(ESTABLISHED, FAILED);
      case CANCELLING -> EnumSet.of(ABANDONING, FAILED);
      case ABANDONING -> EnumSet.of(FAILED);
      case HANDLE_SENT, ESTABLISHED, FAILED -> EnumSet.noneOf(InboundState.class);
    };
  }

  /** Whether a failure still changes the outcome. */
  boolean canFail() {
    return this == ACCEPTED
        || this == CHALLENGED
        || this == QUEUED
        || this == PREPARING
        || this == OFFERED;
  }

  boolean mayBecome(InboundState to) {
    return next().contains(to);
  }
}
