// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/** Something of this node's own that sends chunks. Confined to the relay's thread. */
interface ChunkSource {
  /** Over which hop it sends now; null if no path leads to its end. */
  Hop firstHop();

  /**
   * Writes the next chunk.
   *
   * @return whether there was anything to write
   */
  boolean fill(Chunk chunk);

  /** Whether there is more to send. */
  boolean hasMore();

  /** It is in no queue any more; whoever has more for it adds it again. */
  void leftQueue();

  /** It has left a queue and may have more: another way may be there. */
  default void requeue() {}

  /** A chunk of its has gone, wherever to. */
  default void chunkSent() {}
}
