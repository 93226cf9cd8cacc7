// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * One end of a {@link Flow}, used by its {@link FlowHandle}, in the {@link FlowTable} of a {@link
 * RelayNode} with one cable whose other end the test plays; {@link RelaySimulationTest} has whole
 * meshes.
 */
class FlowTest {
  private static final NodeNumber SELF = new NodeNumber(1, 1);
  private static final NodeNumber PEER = new NodeNumber(2, 2);
  private static final int CHUNK_BYTES = RelayNode.LEAST_CHUNK_BYTES;
  private static final int OWN_CHUNKS = 4;

  private long nowNs = TimeUnit.DAYS.toNanos(1);
  private final RelayNode node =
      new RelayNode(SELF, true, () -> nowNs, () -> 7, CHUNK_BYTES, 50, () -> {});
  private final PlayedHop hop = new PlayedHop();
  private final Heard heard = new Heard();

  /** Keeps what is sent until the test says that it has gone. */
  private static final class PlayedHop extends Hop {
    final ArrayDeque<Chunk> sent = new ArrayDeque<>();

    PlayedHop() {
      super(PEER);
    }

    @Override
    void send(Chunk chunk, int hopClass) {
      sent.add(chunk);
    }

    @Override
    void receiveInto(Chunk chunk) {}
  }

  /** What the program's end of the flow hears. */
  private static final class Heard implements OverlayFlow.Listener {
    final List<String> calls = new ArrayList<>();
    boolean takes = true;
    Runnable onBytes = () -> {};

    @Override
    public void onBytes(ByteBuffer bytes) {
      calls.add(bytes.remaining() + " bytes");
      bytes.position(takes ? bytes.limit() : bytes.position());
      onBytes.run();
    }

    @Override
    public void onWritable() {
      calls.add("writable");
    }

    @Override
    public void onClosed(OverlayFlow.End end, String evidence) {
      calls.add(end.name());
    }
  }

  private void joinMesh() {
    List<Chunk> own = new ArrayList<>();
    for (int i = 0; i < OWN_CHUNKS; i++) {
      own.add(new Chunk(hop, 0, i, ByteBuffer.allocate(CHUNK_BYTES)));
    }
    node.hopUp(hop, own);
    node.graph(graph());
  }

  private static Graph graph() {
    Set<NodeNumber> both = Set.of(SELF, PEER);
    return new Graph(List.of(new Graph.Edge(SELF, PEER, 1000)), both, both);
  }

  private OverlayFlow open() {
    joinMesh();
    OverlayFlow flow = node.open(PEER, 16, heard);
    node.turn();
    assertTrue(isSent(ChunkHeader.OPEN));
    return flow;
  }

  /** Whether the next chunk that leaves has a flag; it is gone then. */
  private boolean isSent(int flag) {
    Chunk chunk = hop.sent.remove();
    boolean isSet = (ChunkHeader.flags(chunk.bytes) & flag) != 0;
    node.sent(hop, chunk, 1);
    node.turn();
    return isSet;
  }

  private void receive(int flags, long sequence, int count, long acknowledged) {
    Chunk chunk = new Chunk(hop, 1, 0, ByteBuffer.allocate(CHUNK_BYTES));
    NodeNumber[] route = {PEER, SELF};
    ChunkHeader.putRoute(chunk.bytes, flags, route, 1, count);
    int to = (flags & ChunkHeader.OPEN) == 0 ? 0 : ChunkHeader.UNKNOWN;
    ChunkHeader.putFlow(chunk.bytes, 7, to, 3, sequence, acknowledged, 1 << 20, 16);
    node.received(hop, chunk, ChunkHeader.BYTES + count);
  }

  @Test
  void shouldEndWithTheAnswerToTheFin() {
    OverlayFlow flow = open();
    receive(ChunkHeader.FIN, 0, 5, 0);
    assertEquals(List.of("5 bytes", "CLOSED"), heard.calls);
    assertEquals(0, flow.write(ByteBuffer.allocate(1)));
    node.turn();
    assertEquals(6, ChunkHeader.acknowledged(hop.sent.peek().bytes));
    assertFalse(node.isWaiting());
  }

  @Test
  void shouldHearNothingMoreFromAFlowThatItAbortsWhileItTakesTheLastBytes() {
    OverlayFlow flow = open();
    heard.onBytes = flow::abort;
    receive(ChunkHeader.FIN, 0, 5, 0);
    node.turn();
    assertEquals(List.of("5 bytes"), heard.calls);
    assertTrue(isSent(ChunkHeader.RESET));
    assertFalse(node.isWaiting());
  }

  @Test
  void shouldHearOfNoSpaceOnceItHasHeardOfTheEnd() {
    OverlayFlow flow = open();
    flow.write(ByteBuffer.allocate(SendingHalf.WINDOW_BYTES + 1));
    node.turn();
    Chunk first = hop.sent.peek();
    assertEquals(CHUNK_BYTES, first.lengthBytes);
    // The answer to this FIN has to wait: the cable is busy.
    fillCable();
    receive(ChunkHeader.FIN, 0, 0, 0);
    assertEquals(List.of("CLOSED"), heard.calls);
    receive(0, 0, 0, CHUNK_BYTES - ChunkHeader.BYTES);
    assertEquals(List.of("CLOSED"), heard.calls);
  }

  private void fillCable() {
    while (hop.sent.size() < OWN_CHUNKS) {
      node.open(PEER, 17, new Heard()).flush();
      node.turn();
    }
  }

  @Test
  void shouldTakeNoBytesOfAFlowThatItHasRefused() {
    node.accept((flow, nodeId, port) -> heard);
    node.hopUp(hop, List.of());
    receive(ChunkHeader.OPEN, 0, 60_000, 0);
    receive(ChunkHeader.OPEN, 60_000, 60_000, 0);
    assertEquals(List.of("60000 bytes", "RESET"), heard.calls);
    receive(ChunkHeader.OPEN, 60_000, 5, 0);
    assertEquals(List.of("60000 bytes", "RESET"), heard.calls);
  }

  /** While the cable took nothing, nothing was sent again: there is no reason to wait longer. */
  @Test
  void shouldSendAgainSoonOnceACableThatTookNothingGoesOn() {
    OverlayFlow flow = open();
    flow.write(ByteBuffer.allocate(5));
    flow.flush();
    node.turn();
    for (int i = 0; i < 3; i++) {
      nowNs += FlowPatience.LAST_RESEND_NS;
      node.turn();
    }
    assertEquals(1, hop.sent.size());
    assertFalse(isSent(ChunkHeader.PROBE));
    nowNs += FlowPatience.FIRST_RESEND_NS + 1;
    node.turn();
    node.turn();
    assertTrue(isSent(ChunkHeader.PROBE));
  }

  /** Its peer has learned the mesh before it. */
  @Test
  void shouldWaitForAPathBackToAPeerThatHasOpenedIt() {
    node.accept((flow, nodeId, port) -> heard);
    node.hopUp(hop, List.of(new Chunk(hop, 0, 0, ByteBuffer.allocate(CHUNK_BYTES))));
    receive(ChunkHeader.OPEN, 0, 5, 0);
    nowNs += FlowPatience.LIMIT_NS - 1;
    node.turn();
    assertEquals(List.of("5 bytes"), heard.calls);
    node.graph(graph());
    node.turn();
    assertEquals(5, ChunkHeader.acknowledged(hop.sent.peek().bytes));
  }

  @Test
  void shouldGiveUpAFlowWithoutAPathBack() {
    node.accept((flow, nodeId, port) -> heard);
    node.hopUp(hop, List.of());
    receive(ChunkHeader.OPEN, 0, 0, 0);
    nowNs += FlowPatience.LIMIT_NS + 1;
    node.turn();
    assertEquals(List.of("UNREACHABLE"), heard.calls);
  }

  @Test
  void shouldKeepTheBytesOfAPeerThatIsGoneUntilTheyAreTaken() {
    OverlayFlow flow = open();
    heard.takes = false;
    receive(ChunkHeader.FIN, 0, 5, 0);
    receive(ChunkHeader.RESET, 0, 0, 0);
    node.turn();
    assertEquals(List.of("5 bytes"), heard.calls);
    assertFalse(node.isWaiting());
    receive(ChunkHeader.RESET, 0, 0, 0);
    heard.takes = true;
    flow.resume();
    node.turn();
    assertEquals(List.of("5 bytes", "5 bytes", "CLOSED"), heard.calls);
  }

  /** It was opened, and the relay's thread had not seen it when the node left. */
  @Test
  void shouldEndAFlowThatBeginsOnceItsNodeHasLeft() {
    joinMesh();
    node.open(PEER, 16, heard);
    node.close();
    node.turn();
    assertEquals(List.of("OVERLAY_CLOSED"), heard.calls);
    node.accept((flow, nodeId, port) -> heard);
    receive(ChunkHeader.OPEN, 0, 5, 0);
    assertEquals(List.of("OVERLAY_CLOSED"), heard.calls);
  }
}
