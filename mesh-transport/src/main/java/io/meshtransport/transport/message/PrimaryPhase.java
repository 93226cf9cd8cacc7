// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.LifeCycleState;

/**
 * What an end of a connection does about its primary.
 *
 * <pre>
 *   STEADY <------------------------------+----------------+
 *     |  |                                |                |
 *     |  +-> LEAVING ---------------> FOLLOWING            |   RAIL_GONE has come
 *     |        |   the connecting end   |   ^              |
 *     |        v                        v   | next chosen  |
 *     +-----> LOST <--------------------+   |              |
 *               +---------------------------+              |   RAIL_LOST has come
 *               +------------------------------------------+
 * </pre>
 */
public enum PrimaryPhase implements LifeCycleState<PrimaryPhase> {
  /** The primary carries everything. */
  STEADY,
  /** Both ends stop using a primary that is sound. */
  LEAVING,
  /** The primary is being drained, or the connecting end's choice is awaited. */
  LOST,
  /** RAIL_LOST is on its way over the next primary, or its answer. */
  FOLLOWING;

  @Override
  public boolean mayBecome(PrimaryPhase next) {
    return switch (next) {
      case STEADY -> this == FOLLOWING || this == LOST;
      case LEAVING -> this == STEADY;
      case LOST -> this == STEADY || this == LEAVING || this == FOLLOWING;
      case FOLLOWING -> this == LOST || this == LEAVING;
    };
  }
}
