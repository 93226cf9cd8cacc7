// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where one attempt to connect stands.
 *
 * <pre>
 *                 .----------------------+---> TOLD
 *                 |                      |
 *                 |  .-------------------|------------.
 *                 |  |                   |            v
 *  CONNECTING -> GREETED -> CHALLENGED -> ANSWERED -> BRINGING_UP -> READY -> ESTABLISHED
 *      |            |           |            |          |    |         |
 *      |            |           |            |          |    v         |
 *      |            |           |            |          |  DOOMED      |
 *      |            |           |            |          |    |         |
 *      +------------+-----------+------------+----------+----+---------+--> FAILED
 * </pre>
 *
 * GREETED: our HELLO or QUERY is sent. CHALLENGED: our proof is sent (only with a secret).
 * ANSWERED: the peer's HELLO or HANDLE is here, its proof is not. TOLD: we only asked who the peer
 * is, and know it. READY: our READY is sent. DOOMED: it failed while the queue pair is still being
 * brought up. Up to ANSWERED nothing has been done that a further attempt could not repeat.
 */
enum OutboundState {
  CONNECTING,
  GREETED,
  CHALLENGED,
  ANSWERED,
  TOLD,
  BRINGING_UP,
  READY,
  ESTABLISHED,
  DOOMED,
  FAILED;

  private Set<OutboundState> next() {
    return switch (this) {
      case CONNECTING -> EnumSet.of(GREETED, FAILED);
      case GREETED -> EnumSet.of(CHALLENGED, TOLD, BRINGING_UP, FAILED);
      case CHALLENGED -> EnumSet.of(ANSWERED, FAILED);
      case ANSWERED -> EnumSet.of(TOLD, BRINGING_UP, FAILED);
      case BRINGING_UP -> EnumSet.of(READY, DOOMED, FAILED);
      case READY -> EnumSet.of(ESTABLISHED, FAILED);
      case DOOMED -> EnumSet.of(FAILED);
      case TOLD, ESTABLISHED, FAILED -> EnumSet.noneOf(OutboundState.class);
    };
  }

  /** Whether a failure still changes the outcome. */
  boolean canFail() {
    return this != TOLD && this != ESTABLISHED && this != DOOMED && this != FAILED;
  }

  boolean mayBecome(OutboundState to) {
    return next().contains(to);
  }
}
