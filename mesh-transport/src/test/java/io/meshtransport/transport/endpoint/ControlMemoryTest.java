// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.transport.device.ControlMemory;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ControlMemoryTest {
  private VerbsDevice device;
  private ProtectionDomain domain;
  private ControlMemory pool;

  @BeforeEach
  void openADevice() throws Exception {
    device = new SimulatedFabric(1, new SimulatedCable(1_000, 0, 1_000_000_000L)).open("a");
    domain = device.allocateProtectionDomain();
    pool = new ControlMemory(domain);
  }

  /** A domain refuses to close while a chunk is registered. */
  @AfterEach
  void closeIt() throws Exception {
    pool.close();
    domain.close();
    device.close();
  }

  @Test
  void shouldHandOutPiecesThatDoNotOverlap() throws Exception {
    List<ControlMemory.Piece> pieces = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      pieces.add(pool.take(800));
    }
    for (ControlMemory.Piece piece : pieces) {
      assertTrue(piece.at() + 800 <= piece.buffer().capacity());
      assertEquals(piece.region().address() + piece.at(), piece.address());
      for (ControlMemory.Piece other : pieces) {
        if (other != piece && other.buffer() == piece.buffer()) {
          assertTrue(Math.abs(other.at() - piece.at()) >= 800);
        }
      }
    }
  }

  @Test
  void shouldRegisterAChunkForManyPieces() throws Exception {
    ControlMemory.Piece first = pool.take(64);
    for (int taken = 128; taken <= ControlMemory.FIRST_CHUNK_BYTES; taken += 64) {
      assertSame(first.region(), pool.take(64).region());
    }
    ControlMemory.Piece second = pool.take(64);
    assertNotEquals(first.region(), second.region());
    for (int taken = 128; taken <= ControlMemory.CHUNK_BYTES; taken += 64) {
      assertSame(second.region(), pool.take(64).region());
    }
    assertNotEquals(second.region(), pool.take(64).region());
  }

  @Test
  void shouldHandOutAPieceThatIsLongerThanTheFirstChunk() throws Exception {
    assertEquals(ControlMemory.CHUNK_BYTES, pool.take(ControlMemory.CHUNK_BYTES).lengthBytes());
  }

  @Test
  void shouldHandOutAgainWhatWasGivenBack() throws Exception {
    ControlMemory.Piece first = pool.take(100);
    ControlMemory.Piece second = pool.take(100);
    pool.giveBack(first);
    assertSame(first, pool.take(100));
    assertNotEquals(second.at(), first.at());
  }

  @Test
  void shouldMakeBuffersWhenTheyAreNeededAndGiveThemBack() throws Exception {
    ControlBuffers buffers = new ControlBuffers(pool, 200);
    buffers.need(40);
    buffers.need(41);
    assertSame(buffers.memory(40), buffers.memory(41));
    assertEquals(200, buffers.at(41) - buffers.at(40));
    assertEquals(200, buffers.address(41) - buffers.address(40));
    int at = buffers.at(40);
    buffers.giveBack();
    buffers.need(0);
    assertEquals(at, buffers.at(0));
  }
}
