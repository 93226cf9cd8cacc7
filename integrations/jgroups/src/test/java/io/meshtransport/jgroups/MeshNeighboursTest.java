// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MeshNeighboursTest {
  private static final String SERVICE = MeshNeighbours.SERVICE;

  private final FakeMesh mesh = new FakeMesh();
  private final List<String> reported = new ArrayList<>();
  private final Set<String> known = new HashSet<>();
  private final List<Runnable> due = new ArrayList<>();

  private final MeshNeighbours neighbours =
      new MeshNeighbours(
          mesh,
          new MeshNeighbours.Reports() {
            @Override
            public boolean isKnown(String nodeId) {
              return known.contains(nodeId);
            }

            @Override
            public void found(byte[] handle) {
              reported.add("found " + handle[0]);
            }

            @Override
            public void gone(String nodeId, boolean isProof, String evidence) {
              reported.add("gone " + nodeId + (isProof ? " for certain: " : ": ") + evidence);
            }
          },
          (delayMs, task) -> due.add(task));

  /** A mesh that says what a test lets it say. */
  private static final class FakeMesh implements Mesh {
    final Map<MeshNode, byte[]> handles = new HashMap<>();
    byte[] own;
    MeshEventListener listener;
    boolean isClosed;

    @Override
    public Transport transport() {
      throw new UnsupportedOperationException("JGroups has its own");
    }

    @Override
    public MeshNode self() {
      return node("self", MeshNodeState.ALIVE);
    }

    @Override
    public List<MeshNode> nodes() {
      return List.copyOf(handles.keySet());
    }

    @Override
    public List<MeshLink> links() {
      return List.of();
    }

    @Override
    public List<MeshFinding> findings() {
      return List.of();
    }

    @Override
    public Subscription subscribe(MeshEventListener to) {
      listener = to;
      return () -> {};
    }

    @Override
    public void publish(String service, byte[] handle) {
      assertEquals(SERVICE, service);
      own = handle;
    }

    @Override
    public void withdraw(String service) {}

    @Override
    public Optional<byte[]> lookup(String node, String service) {
      return Optional.empty(); // Two nodes may have one name.
    }

    @Override
    public Optional<byte[]> lookup(MeshNode node, String service) {
      return Optional.ofNullable(handles.get(node));
    }

    @Override
    public Connection connect(
        String node, String service, ConnectOptions options, Duration timeout) {
      throw new UnsupportedOperationException("not by JGroups");
    }

    @Override
    public boolean awaitNodes(int count, Duration timeout) {
      return true;
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private static MeshNode node(String id, MeshNodeState state) {
    return new MeshNode(new Peer("one name", id), 1, state, "its host said so", Set.of(SERVICE));
  }

  private MeshNode publish(String id, int handle) {
    MeshNode node = node(id, MeshNodeState.ALIVE);
    mesh.handles.put(node, new byte[] {(byte) handle});
    mesh.listener.servicePublished(node, SERVICE);
    return node;
  }

  @Test
  void shouldPublishThisNodeAndFindOthersWhateverTheirNames() {
    neighbours.start(new byte[] {1});
    assertEquals(1, mesh.own[0]);
    assertFalse(neighbours.hasPeer());
    publish("b", 2);
    publish("c", 3);
    assertTrue(neighbours.hasPeer());
    mesh.listener.servicePublished(node("d", MeshNodeState.ALIVE), "another service");
    assertEquals(List.of("found 2", "found 3"), reported);
    neighbours.handleChanged(new byte[] {4});
    assertEquals(4, mesh.own[0]);
  }

  @Test
  void shouldReportAgainWhatCouldNotBeConnected() {
    neighbours.start(new byte[1]);
    publish("b", 2);
    publish("c", 3);
    known.add("b");
    due.remove(0).run();
    assertEquals(List.of("found 2", "found 3", "found 3"), reported);
    assertEquals(1, due.size(), "and later again");
  }

  @Test
  void shouldReportNodesThatAreGoneAndNoOthers() {
    neighbours.start(new byte[1]);
    for (MeshNodeState each : MeshNodeState.values()) {
      mesh.listener.verdict(node(each.name(), each));
    }
    assertEquals(
        List.of(
            "gone PROCESS_GONE for certain: its host said so", "gone NODE_GONE: its host said so"),
        reported);
    mesh.handles.put(node("b", MeshNodeState.PROCESS_GONE), new byte[1]);
    assertFalse(neighbours.hasPeer());
  }

  @Test
  void shouldEndWithItsMesh() {
    neighbours.start(new byte[1]);
    neighbours.close();
    assertTrue(mesh.isClosed);
    publish("b", 2);
    mesh.listener.verdict(node("b", MeshNodeState.NODE_GONE));
    due.remove(0).run();
    assertEquals(List.of(), reported);
    assertEquals(List.of(), due);
  }
}
