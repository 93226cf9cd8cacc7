// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/**
 * The way that the chunks of a flow take now, and what of the flow is at its first hop. Confined to
 * the relay's thread.
 */
final class FlowRoute {
  private SourceRoute route;
  private NodeNumber[] nodes;
  private Hop firstHop;

  /** Whether the flow is in the queue of that hop. */
  private boolean isQueued;

  /** Chunks at that hop, and at those before. */
  private int chunksOut;

  /** Null if there is none. */
  SourceRoute route() {
    return route;
  }

  boolean isThere() {
    return route != null;
  }

  /** Null if there is no route. */
  Hop firstHop() {
    return firstHop;
  }

  /**
   * Takes a route.
   *
   * @param of what may be in a queue of the hop before
   * @return whether it is another one
   */
  boolean take(SourceRoute newRoute, Hop newFirstHop, ChunkSource of) {
    if (newRoute.equals(route) && newFirstHop == firstHop) {
      return false;
    }
    if (newFirstHop != firstHop) {
      leaveQueue(of);
    }
    route = newRoute;
    nodes = newRoute.toArray();
    firstHop = newFirstHop;
    return true;
  }

  /** No route leads there; returns whether one did. */
  boolean lose(ChunkSource of) {
    leaveQueue(of);
    boolean wasThere = isThere();
    route = null;
    nodes = null;
    firstHop = null;
    return wasThere;
  }

  private void leaveQueue(ChunkSource of) {
    if (isQueued) {
      firstHop.queues.remove(of);
    }
  }

  /** Whether the flow is in the queue of a hop; if not, now it is. */
  boolean queue() {
    boolean wasQueued = isQueued;
    isQueued = true;
    return wasQueued;
  }

  void leftQueue() {
    isQueued = false;
  }

  /** Begins the header of a chunk that goes this way. */
  void put(Chunk chunk, int flags, int lengthBytes) {
    ChunkHeader.putRoute(chunk.bytes, flags, nodes, route.hops(), lengthBytes);
    chunksOut++;
  }

  void chunkSent() {
    chunksOut--;
  }

  /** Whether no hop has anything of the flow. */
  boolean isIdle() {
    return chunksOut == 0 && !isQueued;
  }

  @Override
  public String toString() {
    return "%d out%s, route %s".formatted(chunksOut, isQueued ? ", queued" : "", route);
  }
}
