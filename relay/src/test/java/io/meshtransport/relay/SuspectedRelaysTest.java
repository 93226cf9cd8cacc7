// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SuspectedRelaysTest {
  /** A clock of System.nanoTime may begin anywhere. */
  private static final long START_NS = Long.MAX_VALUE - 7;

  private static final NodeNumber ONE = new NodeNumber(1, 1);
  private static final NodeNumber OTHER = new NodeNumber(2, 2);

  private final SuspectedRelays suspected = new SuspectedRelays();

  @Test
  void shouldSuspectARelayForAWhile() {
    assertEquals(Set.of(), suspected.at(START_NS));
    suspected.add(List.of(ONE), START_NS);
    suspected.add(List.of(OTHER), START_NS + 1);
    assertEquals(Set.of(ONE, OTHER), suspected.at(START_NS + SuspectedRelays.LIMIT_NS));
    assertEquals(Set.of(OTHER), suspected.at(START_NS + SuspectedRelays.LIMIT_NS + 1));
    assertEquals(Set.of(), suspected.at(START_NS + SuspectedRelays.LIMIT_NS + 2));
  }

  @Test
  void shouldForgetARelayThatSomethingSpeaksFor() {
    suspected.add(List.of(ONE, OTHER), START_NS);
    suspected.removeIf(ONE::equals);
    assertEquals(Set.of(OTHER), suspected.at(START_NS));
  }

  /** Neither end of its route is a relay of it. */
  @Test
  void shouldForgetARelayThatAChunkHasComeOver() {
    NodeNumber[] route = {OTHER, ONE, new NodeNumber(3, 3)};
    ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.BYTES);
    ChunkHeader.putRoute(chunk, 0, route, 2, 0);
    suspected.heard(chunk, START_NS);
    suspected.add(List.of(ONE, OTHER), START_NS);
    suspected.heard(chunk, START_NS);
    assertEquals(Set.of(OTHER), suspected.at(START_NS));
  }

  /** In a mesh that does not change, chunks are all that comes. */
  @Test
  void shouldForgetARelayWhenItsTimeIsOverAndOtherPathsCarryChunks() {
    NodeNumber[] route = {OTHER, new NodeNumber(3, 3)};
    ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.BYTES);
    ChunkHeader.putRoute(chunk, 0, route, 1, 0);
    suspected.add(List.of(ONE), START_NS);
    suspected.heard(chunk, START_NS + SuspectedRelays.LIMIT_NS);
    assertEquals(Set.of(ONE), suspected.at(START_NS));
    suspected.heard(chunk, START_NS + SuspectedRelays.LIMIT_NS + 1);
    assertEquals(Set.of(), suspected.at(START_NS));
  }

  @Test
  void shouldSuspectOnlyTheLastOnceAllHaveBeenTried() {
    suspected.add(List.of(ONE), START_NS);
    suspected.beginAgain(List.of(OTHER), START_NS);
    assertEquals(Set.of(OTHER), suspected.at(START_NS));
  }
}
