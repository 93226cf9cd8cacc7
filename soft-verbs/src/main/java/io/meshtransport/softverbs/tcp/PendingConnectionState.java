// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

/**
 * The life of a {@link PendingConnection}.
 *
 * <pre>
 * ACCEPTED -> WAITING -> CHALLENGED -> PROVED
 *     |                      ^
 *     +----------------------+
 * </pre>
 */
enum PendingConnectionState {
  /** The preamble is awaited. */
  ACCEPTED,
  /** The preamble is complete, and no queue pair here knows its stream yet. */
  WAITING,
  /** The answer was sent, and the dialler's proof is awaited. */
  CHALLENGED,
  /** The dialler knows the stream. */
  PROVED;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(PendingConnectionState next) {
    return switch (next) {
      case ACCEPTED -> false;
      case WAITING -> this == ACCEPTED;
      case CHALLENGED -> this == ACCEPTED || this == WAITING;
      case PROVED -> this == CHALLENGED;
    };
  }
}
