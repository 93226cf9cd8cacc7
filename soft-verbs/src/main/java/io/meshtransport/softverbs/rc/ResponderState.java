// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/**
 * The life of a {@link Responder}.
 *
 * <pre>
 * CLOSED -> ACCEPTING <-> DISCARDING
 *    |          |              |
 *    +----------+--------------+---> REFUSING
 * </pre>
 */
enum ResponderState {
  /** The queue pair is not in RTR yet. */
  CLOSED,
  /** Requests are carried out. */
  ACCEPTING,
  /** No receive was posted: requests are discarded until that one comes again. */
  DISCARDING,
  /** A request failed for good, or the queue pair did. */
  REFUSING;

  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(ResponderState next) {
    return switch (next) {
      case CLOSED -> false;
      case ACCEPTING -> this == CLOSED || this == DISCARDING;
      case DISCARDING -> this == ACCEPTING;
      case REFUSING -> this != REFUSING;
    };
  }
}
