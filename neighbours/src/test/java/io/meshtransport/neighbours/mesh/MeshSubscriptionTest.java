// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Events that wait for listeners: {@link MeshSubscription} and {@link MeshSnapshot}. */
class MeshSubscriptionTest {
  private static final int CHANGES = 10 * MeshEventListener.MAX_WAITING;

  /** What the executor has; nothing runs before the test says so. */
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  private final MeshState state =
      new MeshState(MeshReports.SELF, "a", tasks::add, (node, evidence) -> {});

  /** Knows the mesh by its events alone. */
  private static final class Follower implements MeshEventListener {
    final Map<String, MeshNodeState> nodes = new TreeMap<>();
    final List<String> cuts = new ArrayList<>();
    int count;

    @Override
    public void nodeAppeared(MeshNode node) {
      count++;
      assertEquals(null, nodes.put(node.peer().name(), node.state()), "appeared twice");
    }

    @Override
    public void verdict(MeshNode node) {
      count++;
      assertTrue(nodes.put(node.peer().name(), node.state()) != null, "not there");
    }

    @Override
    public void nodeRemoved(MeshNode node) {
      count++;
      assertTrue(nodes.remove(node.peer().name()) != null, "not there");
    }
  }

  private static NodeId id(int number) {
    return new NodeId(2, number);
  }

  private static NodeRecord record(int number) {
    return MeshReports.record(id(number), "n" + number, 1);
  }

  /** Nodes come, are judged and go, more often than events may wait. */
  private void change() {
    for (int i = 0; i < CHANGES; i++) {
      int number = i % 10;
      NodeState said = NodeState.values()[i / 10 % NodeState.values().length];
      state.nodeAppeared(record(number));
      state.verdict(MeshReports.verdict(id(number), "n" + number, said, "at change " + i));
      if (number == 7) {
        state.nodeGone(record(number));
      }
    }
  }

  private Map<String, MeshNodeState> present() {
    Map<String, MeshNodeState> present = new TreeMap<>();
    state.nodes().forEach(each -> present.put(each.peer().name(), each.state()));
    return present;
  }

  @Test
  void keepsABoundedNumberOfEventsAndThenTellsWhatIsDifferent() {
    Follower slow = new Follower();
    MeshSubscription subscription = (MeshSubscription) state.subscribe(slow);
    change();
    assertEquals(1, tasks.size(), "one task, however many events");
    int waiting = subscription.waiting();
    assertTrue(waiting <= MeshEventListener.MAX_WAITING, waiting + " wait");
    assertTrue(waiting > MeshEventListener.MAX_WAITING - 10, waiting + " wait");
    tasks.remove().run();
    assertEquals(present(), slow.nodes);
    assertEquals(9, slow.nodes.size());
    assertTrue(slow.count <= waiting + 30, slow.count + " events");
    state.nodeGone(record(1));
    tasks.remove().run();
    assertEquals(present(), slow.nodes, "it follows again");
    assertEquals(0, tasks.size());
  }

  /** A listener that never returns costs neither the agent's thread nor memory without end. */
  @Test
  void neverBlocksTheThreadThatReports() throws Exception {
    ExecutorService events = Executors.newSingleThreadExecutor();
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try {
      MeshState blocked = new MeshState(MeshReports.SELF, "a", events, (node, evidence) -> {});
      MeshSubscription subscription =
          (MeshSubscription)
              blocked.subscribe(
                  new MeshEventListener() {
                    @Override
                    public void nodeAppeared(MeshNode node) {
                      entered.countDown();
                      try {
                        end.await();
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                      }
                    }
                  });
      blocked.nodeAppeared(record(1));
      assertTrue(entered.await(30, TimeUnit.SECONDS));
      for (int i = 0; i < CHANGES; i++) {
        blocked.nodeAppeared(record(i % 10));
        blocked.nodeGone(record(i % 10));
      }
      assertTrue(subscription.waiting() <= MeshEventListener.MAX_WAITING);
      subscription.close();
      assertEquals(0, subscription.waiting());
    } finally {
      end.countDown();
      events.shutdown();
    }
  }

  @Test
  void goesOnAfterAListenerThatFailsWithAnError() {
    List<String> heard = new ArrayList<>();
    state.subscribe(
        new MeshEventListener() {
          @Override
          public void nodeAppeared(MeshNode node) {
            heard.add(node.peer().name());
            throw new AssertionError("of the program");
          }
        });
    state.nodeAppeared(record(1));
    tasks.remove().run();
    state.nodeAppeared(record(2));
    tasks.remove().run();
    assertEquals(List.of("n1", "n2"), heard);
  }
}
