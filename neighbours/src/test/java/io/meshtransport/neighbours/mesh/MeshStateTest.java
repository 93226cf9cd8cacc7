// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a mesh makes of the agent's reports, without sockets; events are reported at once. */
class MeshStateTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final NodeId B = new NodeId(2, 2);
  private static final byte[] HANDLE = {1, 2, 3};

  private final List<String> events = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private final MeshState state =
      new MeshState(
          SELF, Runnable::run, (node, evidence) -> ended.add(node.equals(B) + " " + evidence));

  /** Writes events down. */
  private final class Log implements MeshEventListener {
    @Override
    public void nodeAppeared(MeshNode node) {
      events.add("appeared " + node.peer().name());
    }

    @Override
    public void verdict(MeshNode node) {
      events.add(node.peer().name() + " " + node.state() + ": " + node.evidence());
    }

    @Override
    public void nodeRemoved(MeshNode node) {
      events.add("removed " + node.peer().name());
    }

    @Override
    public void servicePublished(MeshNode node, String service) {
      events.add("published " + service);
    }

    @Override
    public void serviceWithdrawn(MeshNode node, String service) {
      events.add("withdrawn " + service);
    }
  }

  private static NodeRecord record(NodeId id, String name, long incarnation, String... services) {
    List<ServiceEntry> entries = new ArrayList<>();
    for (String each : services) {
      entries.add(new ServiceEntry(each, HANDLE));
    }
    return new NodeRecord(id, incarnation, 1, false, name, List.of(), List.of(), entries);
  }

  private TransportException refusal(String node, String service) {
    return assertThrows(
        TransportException.class, () -> state.awaitHandle(node, service, Duration.ZERO));
  }

  @Test
  void reportsEachChangeOnceAndInOrder() {
    state.subscribe(new Log());
    NodeRecord first = record(B, "b", 1, "store");
    NodeRecord second = record(B, "b", 1, "other");
    state.nodeAppeared(first);
    state.nodeChanged(first, second);
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.PROCESS_GONE, "refused"));
    state.nodeGone(second);
    assertEquals(
        List.of(
            "appeared b",
            "published store",
            "withdrawn store",
            "published other",
            "b PROCESS_GONE: refused",
            "removed b"),
        events);
  }

  @Test
  void reportsWhatIsThereToALaterListenerAndNothingAfterItsEnd() {
    state.nodeAppeared(record(B, "b", 1, "store"));
    Mesh.Subscription subscription = state.subscribe(new Log());
    subscription.close();
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.STUCK, "silent"));
    assertEquals(List.of("appeared b", "published store"), events);
  }

  @Test
  void endsWhatLeadsToANodeThatIsGoneAndToNoOther() {
    state.nodeAppeared(record(B, "b", 1));
    for (NodeState each : NodeState.values()) {
      state.verdict(new NodeVerdict(B, "b", 1, each, each.description()));
    }
    assertEquals(List.of("true process gone", "true node gone"), ended);
    ended.clear();
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.PROCESS_GONE, "another life", true));
    assertEquals(List.of(), ended, "its transport has joined the mesh again");
  }

  @Test
  void reportsToOthersAfterAListenerThatThrows() {
    state.subscribe(
        new MeshEventListener() {
          @Override
          public void nodeAppeared(MeshNode node) {
            throw new IllegalStateException("of the program");
          }
        });
    state.subscribe(new Log());
    state.nodeAppeared(record(B, "b", 1));
    assertEquals(List.of("appeared b"), events);
  }

  @Test
  void answersTheHandleOfALivingNodeOnly() throws TransportException {
    state.nodeAppeared(record(B, "b", 1, "store"));
    assertArrayEquals(HANDLE, state.awaitHandle("b", "store", Duration.ZERO));
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.PROCESS_GONE, "refused"));
    TransportException refusal = refusal("b", "store");
    assertEquals(Reason.PEER_UNREACHABLE, refusal.reason());
    assertTrue(refusal.getMessage().contains("b PROCESS_GONE"), refusal.getMessage());
  }

  @Test
  void countsALaterLifeAsAlive() throws TransportException {
    NodeRecord before = record(B, "b", 1, "store");
    state.nodeAppeared(before);
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.NODE_GONE, "silent"));
    assertFalse(state.awaitLiving(1, Duration.ZERO));
    state.nodeChanged(before, record(B, "b", 2, "store"));
    assertTrue(state.awaitLiving(1, Duration.ZERO));
    assertEquals(MeshNodeState.ALIVE, state.nodes().get(0).state());
    assertEquals(2, state.nodes().get(0).incarnation());
  }

  @Test
  void refusesANameThatTwoLivingNodesHave() {
    NodeId other = new NodeId(3, 3);
    state.nodeAppeared(record(B, "b", 1, "store"));
    state.nodeAppeared(record(other, "b", 1, "store"));
    TransportException refusal = refusal("b", "store");
    assertEquals(Reason.CONFIGURATION, refusal.reason());
    assertTrue(refusal.getMessage().contains(other.toString()), refusal.getMessage());
    assertEquals(2, state.nodes().size());
  }

  @Test
  void namesWhatIsKnownWhereANodeOrServiceIsMissing() {
    state.nodeAppeared(record(B, "b", 1, "store"));
    assertEquals(
        "No living node is named 'c'; known nodes: [b ALIVE]", refusal("c", "store").getMessage());
    assertEquals(
        "Node 'b' has published no service 'queue'; its services: [store]",
        refusal("b", "queue").getMessage());
  }

  @Test
  void leavesItselfOutAndEndsWaitingWhenClosed() {
    state.nodeAppeared(record(SELF, "a", 1));
    assertEquals(List.of(), state.nodes());
    state.close();
    assertEquals(Reason.CLOSED, refusal("b", "store").reason());
  }

  @Test
  void looksUpServicesOfTheOnlyLivingNodeOfAName() {
    assertEquals(Optional.empty(), state.lookup("b", "store"));
    state.nodeAppeared(record(B, "b", 1, "store"));
    assertArrayEquals(HANDLE, state.lookup("b", "store").orElseThrow());
    assertEquals(Optional.empty(), state.lookup("b", "other"));
    state.nodeAppeared(record(new NodeId(3, 3), "b", 1, "store"));
    assertEquals(Optional.empty(), state.lookup("b", "store"), "two nodes have the name");
    state.verdict(new NodeVerdict(B, "b", 1, NodeState.PROCESS_GONE, "refused"));
    assertArrayEquals(HANDLE, state.lookup("b", "store").orElseThrow());
  }
}
