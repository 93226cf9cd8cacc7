// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/**
 * The way to one neighbour, as long as it lasts: chunks of each class arrive whole, once and in
 * order of their class, or the hop goes down. A chunk leaves only when the neighbour has memory of
 * its class, and no class waits for another. Confined to the relay's thread.
 */
abstract class Hop {
  private final NodeNumber peer;

  /** What waits to leave; of {@link RelayNode}. */
  HopQueues queues;

  /** Whether {@link RelayNode} uses it. */
  boolean isUp;

  Hop(NodeNumber peer) {
    this.peer = peer;
  }

  /** The neighbour. */
  NodeNumber peer() {
    return peer;
  }

  /**
   * Sends a chunk; {@link RelayNode#sent} follows, whether it arrives or not, and never inside this
   * call.
   *
   * @param hopClass how many cables it has taken then, 1 to {@link ChunkHeader#MAX_HOPS}
   */
  abstract void send(Chunk chunk, int hopClass);

  /** The memory of a chunk that has come over this hop is free for the next one of its class. */
  abstract void receiveInto(Chunk chunk);
}
