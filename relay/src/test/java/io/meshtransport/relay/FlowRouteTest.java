// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowRouteTest {
  private static final NodeNumber SELF = new NodeNumber(1, 1);
  private static final NodeNumber NEXT = new NodeNumber(2, 2);
  private static final NodeNumber END = new NodeNumber(3, 3);
  private static final SourceRoute DIRECT = new SourceRoute(List.of(SELF, END));
  private static final SourceRoute LONG = new SourceRoute(List.of(SELF, NEXT, END));

  private final FlowRoute way = new FlowRoute();
  private final Source source = new Source();

  /** A hop that takes no chunks, so that what is in its queue stays there. */
  private static final class FullHop extends Hop {
    FullHop(NodeNumber peer) {
      super(peer);
      queues = new HopQueues(this, List.of(), 1024, new OthersShare(50, 1024, () -> 0));
    }

    @Override
    void send(Chunk chunk, int hopClass) {
      throw new AssertionError("it has no chunks");
    }

    @Override
    void receiveInto(Chunk chunk) {
      throw new AssertionError("it has no chunks");
    }
  }

  private final class Source implements ChunkSource {
    @Override
    public Hop firstHop() {
      return way.firstHop();
    }

    @Override
    public boolean fill(Chunk chunk) {
      return false;
    }

    @Override
    public boolean hasMore() {
      return true;
    }

    @Override
    public void leftQueue() {
      way.leftQueue();
    }
  }

  private void queueAt(Hop hop) {
    assertFalse(way.queue());
    hop.queues.add(source);
  }

  @Test
  void shouldLeaveTheQueueOfAHopThatItDoesNotTakeAnyMore() {
    Hop one = new FullHop(END);
    Hop other = new FullHop(NEXT);
    assertTrue(way.take(DIRECT, one, source));
    queueAt(one);
    assertFalse(way.isIdle());
    assertTrue(way.take(LONG, other, source));
    assertTrue(way.isIdle());
    assertSame(other, way.firstHop());
    queueAt(other);
    assertTrue(way.lose(source));
    assertTrue(way.isIdle());
    assertNull(way.route());
    assertFalse(way.lose(source));
  }

  @Test
  void shouldStayInTheQueueOfAHopThatItStillTakes() {
    Hop hop = new FullHop(NEXT);
    assertTrue(way.take(LONG, hop, source));
    queueAt(hop);
    assertFalse(way.take(LONG, hop, source));
    assertTrue(way.take(new SourceRoute(List.of(SELF, NEXT, SELF, END)), hop, source));
    assertTrue(way.queue());
  }

  @Test
  void shouldBeIdleOnceAllOfItsChunksHaveGone() {
    way.take(LONG, new FullHop(NEXT), source);
    Chunk chunk = new Chunk(null, 0, 0, ByteBuffer.allocate(ChunkHeader.BYTES));
    way.put(chunk, ChunkHeader.OPEN, 0);
    assertEquals(2, ChunkHeader.hops(chunk.bytes));
    assertEquals(END, ChunkHeader.node(chunk.bytes, 2));
    assertFalse(way.isIdle());
    way.chunkSent();
    assertTrue(way.isIdle());
  }
}
