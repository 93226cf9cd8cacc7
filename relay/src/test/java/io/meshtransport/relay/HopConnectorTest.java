// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.ScriptedMesh.OTHER;
import static io.meshtransport.relay.ScriptedMesh.SELF;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.relay.ScriptedMesh.Scripted;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HopConnectorTest {
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long FAR_NS = TimeUnit.HOURS.toNanos(1);

  private final ScriptedMesh script = new ScriptedMesh();
  private final List<Optional<Connection>> ended = new ArrayList<>();
  private final HopConnector connector = connectorOf(SELF);
  private final Map<NodeNumber, MeshNode> neighbours = neighbour(OTHER);
  private final long startNs = System.nanoTime();

  private HopConnector connectorOf(Peer self) {
    return new HopConnector(script.mesh, NodeNumber.of(self.id()), Runnable::run, ended::add);
  }

  private Map<NodeNumber, MeshNode> neighbour(Peer peer) {
    script.hasNeighbour = true;
    MeshNode node = script.mesh.nodes().get(0);
    return Map.of(NodeNumber.of(peer.id()), node);
  }

  private long connect(long afterNs) {
    long nowNs = startNs + afterNs;
    return connector.connect(neighbours, peer -> false, nowNs, nowNs + FAR_NS) - nowNs;
  }

  private ChannelFuture<Connection> begun() {
    assertEquals(1, script.connects.size());
    return script.connects.remove();
  }

  private static void fail(ChannelFuture<Connection> attempt) {
    attempt.completeExceptionally(new IllegalStateException("no answer"));
  }

  @Test
  void shouldReportTheConnectionThatItHasOpened() {
    assertEquals(FAR_NS, connect(0));
    Connection made = new Scripted(OTHER, new byte[0]).connection;
    begun().complete(made);
    assertEquals(List.of(Optional.of(made)), ended);
  }

  @Test
  void shouldLeaveItToTheOtherWhoseIdIsLower() {
    HopConnector higher = connectorOf(OTHER);
    higher.connect(neighbour(SELF), peer -> false, startNs, startNs + FAR_NS);
    assertTrue(script.connects.isEmpty());
  }

  @Test
  void shouldNotConnectToAHop() {
    connector.connect(neighbours, peer -> true, startNs, startNs + FAR_NS);
    assertTrue(script.connects.isEmpty());
  }

  @Test
  void shouldBeginNoSecondAttemptBesideOneThoughTheNeighbourLeftForAWhile() {
    connect(0);
    ChannelFuture<Connection> first = begun();
    connector.connect(Map.of(), peer -> false, startNs, startNs + FAR_NS);
    assertEquals(FAR_NS, connect(10 * PAUSE_NS));
    assertTrue(script.connects.isEmpty());
    fail(first);
    connect(10 * PAUSE_NS);
    begun();
  }

  @Test
  void shouldPauseTwiceAsLongAfterEachFailure() {
    connect(0);
    fail(begun());
    assertEquals(List.of(Optional.empty()), ended);
    assertEquals(PAUSE_NS - 1, connect(1));
    assertTrue(script.connects.isEmpty());
    connect(PAUSE_NS);
    fail(begun());
    assertEquals(2 * PAUSE_NS - 1, connect(PAUSE_NS + 1));
    connect(3 * PAUSE_NS);
    fail(begun());
    assertEquals(4 * PAUSE_NS - 1, connect(3 * PAUSE_NS + 1));
  }

  @Test
  void shouldLookAgainAfterAPauseForANeighbourWithoutAHandle() {
    script.hasHandle = false;
    assertEquals(PAUSE_NS, connect(0));
    script.hasHandle = true;
    connect(PAUSE_NS);
    begun();
  }

  @Test
  void shouldBeginAtOnceAndWithShortPausesAgainAfterAConnection() {
    for (int i = 0; i < 4; i++) {
      connect(FAR_NS * i);
      fail(begun());
    }
    connector.connected(NodeNumber.of(OTHER.id()), startNs + 3 * FAR_NS + 1);
    connect(3 * FAR_NS + 1);
    fail(begun());
    assertEquals(PAUSE_NS - 1, connect(3 * FAR_NS + 2));
  }

  @Test
  void shouldGiveUpWhatIsUnderWayAndBeginNoMoreOnceClosed() {
    connect(0);
    ChannelFuture<Connection> underWay = begun();
    connector.close();
    assertTrue(underWay.isCancelled());
    assertEquals(FAR_NS, connect(FAR_NS));
    assertTrue(script.connects.isEmpty());
  }
}
