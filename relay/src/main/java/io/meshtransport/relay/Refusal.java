// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;

/** The answer to a chunk of a flow that is not known or not wanted here, back the way it came. */
final class Refusal implements ChunkSource {
  private final Hop hop;
  private final NodeNumber[] route;
  private final long flow;
  private final int to;
  private final Runnable over;
  private boolean isSent;

  /**
   * @param refused a chunk that ends here
   * @param over runs when this leaves the queue
   */
  Refusal(Hop hop, ByteBuffer refused, Runnable over) {
    this.hop = hop;
    this.over = over;
    int hops = ChunkHeader.hops(refused);
    route = new NodeNumber[hops + 1];
    for (int i = 0; i <= hops; i++) {
      route[i] = ChunkHeader.node(refused, hops - i);
    }
    flow = ChunkHeader.flow(refused);
    to = ChunkHeader.from(refused);
  }

  @Override
  public Hop firstHop() {
    return hop;
  }

  @Override
  public boolean fill(Chunk chunk) {
    ChunkHeader.putRoute(chunk.bytes, ChunkHeader.RESET, route, route.length - 1, 0);
    ChunkHeader.putFlow(chunk.bytes, flow, to, ChunkHeader.UNKNOWN, 0, 0, 0, 0);
    chunk.lengthBytes = ChunkHeader.BYTES;
    isSent = true;
    return true;
  }

  @Override
  public boolean hasMore() {
    return !isSent;
  }

  @Override
  public void leftQueue() {
    over.run();
  }
}
