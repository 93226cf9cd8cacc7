// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class HopTableTest {
  private static final NodeNumber SELF = new NodeNumber(1, 1);
  private static final NodeNumber ONE = new NodeNumber(2, 2);
  private static final NodeNumber OTHER = new NodeNumber(3, 3);

  private final HopTable hops = new HopTable();

  private static final class IdleHop extends Hop {
    IdleHop(NodeNumber peer) {
      super(peer);
    }

    @Override
    void send(Chunk chunk, int hopClass) {
      throw new AssertionError("nothing is sent");
    }

    @Override
    void receiveInto(Chunk chunk) {
      throw new AssertionError("nothing is received");
    }
  }

  private static ByteBuffer chunkTo(NodeNumber... route) {
    ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.BYTES);
    ChunkHeader.putRoute(chunk, 0, route, route.length - 1, 0);
    return chunk;
  }

  @Test
  void shouldFindTheNextHopOfAChunkAndOfARoute() {
    Hop one = new IdleHop(ONE);
    Hop other = new IdleHop(OTHER);
    hops.add(one);
    hops.add(other);
    assertSame(one, hops.find(chunkTo(SELF, ONE, OTHER), 1));
    assertSame(other, hops.find(chunkTo(SELF, ONE, OTHER), 2));
    assertNull(hops.find(chunkTo(SELF, ONE, OTHER), 0));
    assertSame(one, hops.first(new SourceRoute(List.of(SELF, ONE, OTHER))));
  }

  @Test
  void shouldKeepTheNewHopToANeighbourWhenTheOneBeforeGoes() {
    Hop before = new IdleHop(ONE);
    Hop now = new IdleHop(ONE);
    hops.add(before);
    hops.add(now);
    hops.remove(before);
    assertTrue(hops.leadsTo(ONE));
    assertSame(now, hops.find(chunkTo(SELF, ONE), 1));
    hops.remove(now);
    assertFalse(hops.leadsTo(ONE));
    assertNull(hops.first(new SourceRoute(List.of(SELF, ONE))));
    assertNull(hops.find(chunkTo(SELF, ONE), 1));
  }
}
