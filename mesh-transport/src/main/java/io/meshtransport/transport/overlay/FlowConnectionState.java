// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

/**
 * The life of a {@link FlowConnection}.
 *
 * <pre>
 *  dials     ANSWER_DUE ------------------+
 *                                         v
 *  accepts   HELLO_DUE -> STREAM_DUE -> PROOF_DUE -> UP
 *                 |           |             |         |
 *                 +-----------+-------------+---------+--> OVER
 * </pre>
 *
 * A dialler is UP with the answer; OVER is reached from everywhere.
 */
enum FlowConnectionState {
  /** This end has begun; the answer says whether the peer knows the stream. */
  ANSWER_DUE,
  /** The peer has begun, and has not said for which stream. */
  HELLO_DUE,
  /** The stream that the peer names does not look for its peer here, yet. */
  STREAM_DUE,
  /** The peer still has to prove that it knows the stream. */
  PROOF_DUE,
  /** Frames pass. */
  UP,
  /** Nothing passes any more. */
  OVER;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(FlowConnectionState next) {
    return switch (next) {
      case ANSWER_DUE, HELLO_DUE -> false;
      case STREAM_DUE -> this == HELLO_DUE;
      case PROOF_DUE -> this == STREAM_DUE;
      case UP -> this == ANSWER_DUE || this == PROOF_DUE;
      case OVER -> this != OVER;
    };
  }
}
