// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.EnumSet;
import java.util.Set;

/**
 * The state of one attempt to connect or to look up a handle.
 *
 * <pre>
 *                    .--------------------------+---> HANDLE_RECEIVED
 *                    |                          |
 *                    |  .-----------------------|--------------.
 *                    |  |                       |              v
 *  CONNECTING -> OPENING_SENT -> CHALLENGED -> AWAITING_PROOF -> BRINGING_UP -> READY -> ESTABLISHED
 *      |             |               |            |              |    |         |
 *      |             |               |            |              |    v         |
 *      |             |               |            |              | CANCELLING   |
 *      |             |               |            |              |    |         |
 *      +-------------+---------------+------------+--------------+----+---------+--> FAILED
 * </pre>
 *
 * OPENING_SENT: our HELLO or QUERY is sent. CHALLENGED: our proof is sent (only with a secret).
 * AWAITING_PROOF: the peer's HELLO or HANDLE is here, its proof is not. HANDLE_RECEIVED: we queried
 * the peer's handle only, and have it. READY: our READY is sent. CANCELLING: the attempt failed
 * while the queue pair is still being brought up. Up to AWAITING_PROOF nothing has been done that a
 * further attempt could not repeat.
 */
enum OutboundState {
  CONNECTING,
  OPENING_SENT,
  CHALLENGED,
  AWAITING_PROOF,
  HANDLE_RECEIVED,
  BRINGING_UP,
  READY,
  ESTABLISHED,
  CANCELLING,
  FAILED;

  private Set<OutboundState> next() {
    return switch (this) {
      case CONNECTING -> EnumSet.of(OPENING_SENT, FAILED);
      case OPENING_SENT -> EnumSet.of(CHALLENGED, HANDLE_RECEIVED, BRINGING_UP, FAILED);
      case CHALLENGED -> EnumSet.of(AWAITING_PROOF, FAILED);
      case AWAITING_PROOF -> EnumSet.of(HANDLE_RECEIVED, BRINGING_UP, FAILED);
      case BRINGING_UP -> EnumSet.of(READY, CANCELLING, FAILED);
      case READY -> EnumSet.of(ESTABLISHED, FAILED);
      case CANCELLING -> EnumSet.of(FAILED);
      case HANDLE_RECEIVED, ESTABLISHED, FAILED -> EnumSet.noneOf(OutboundState.class);
    };
  }

  /** When in the attempt that is, for failure texts. */
  String text() {
    return switch (this) {
      case CONNECTING -> "while the TCP connection was being made";
      case OPENING_SENT -> "after the first message to the peer, before any answer";
      case CHALLENGED -> "after the proof of the secret to the peer, before its answer";
      case AWAITING_PROOF -> "after the peer's answer, before its proof of the secret";
      case BRINGING_UP, CANCELLING -> "while this side's queue pair was being brought up";
      case READY -> "after this side was ready, before the peer was";
      case HANDLE_RECEIVED, ESTABLISHED, FAILED -> "after its end";
    };
  }

  /** Whether a failure still changes the outcome. */
  boolean canFail() {
    return this != HANDLE_RECEIVED && this != ESTABLISHED && this != CANCELLING && this != FAILED;
  }

  boolean mayBecome(OutboundState to) {
    return next().contains(to);
  }
}
