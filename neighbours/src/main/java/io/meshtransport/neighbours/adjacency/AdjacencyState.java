// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

/**
 * How far a node and a neighbour know each other.
 *
 * <pre>
 *   HEARD <--> UP
 *     |         |
 *     +----+----+
 *          v
 *        DOWN
 * </pre>
 *
 * {@link Adjacency#moveTo} changes it and allows these arrows only.
 */
public enum AdjacencyState {
  /** The neighbour's hellos arrive; it does not say that this node's arrive there. */
  HEARD,
  /** Both directions work. */
  UP,
  /** Silent for too long, left, restarted, or its interface is gone; a new adjacency may follow. */
  DOWN;

  /** Whether the arrow is drawn. */
  public boolean canMoveTo(AdjacencyState next) {
    return this != DOWN && next != this;
  }
}
