// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.ScriptedMesh.OTHER;
import static io.meshtransport.relay.ScriptedMesh.SELF;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.relay.ScriptedMesh.Scripted;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.spi.Peer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link RelayThread} with {@link ConnectionHop}s over connections that a test scripts. */
@Timeout(60)
class RelayThreadTest {
  private static final Peer THIRD = new Peer("c", "0000000000000000000000000000000c");

  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(1);

  private final ScriptedMesh script = new ScriptedMesh();
  private long passedNs;
  private final RelayNode node =
      new RelayNode(
          NodeNumber.of(SELF.id()),
          true,
          () -> System.nanoTime() + passedNs,
          () -> 1,
          ConnectionHop.CHUNK_BYTES,
          50,
          () -> {});
  private final RelayThread thread =
      new RelayThread(script.mesh, NodeNumber.of(SELF.id()), node, script.listener, script.poller);

  /** A listener that notes the ends of its flows. */
  private record EndsOnly(List<OverlayFlow.End> ends) implements OverlayFlow.Listener {
    @Override
    public void onBytes(ByteBuffer bytes) {}

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(OverlayFlow.End end, String evidence) {
      ends.add(end);
    }
  }

  private static Scripted scripted(Peer peer) {
    return new Scripted(peer, ConnectionHop.OPTIONS.hello());
  }

  private ChannelFuture<Connection> nextAccept() throws InterruptedException {
    return script.accepts.poll(20, TimeUnit.SECONDS);
  }

  private static void awaitClosed(Scripted scripted) {
    await().atMost(30, TimeUnit.SECONDS).until(() -> scripted.closes.get() > 0);
  }

  @Test
  void shouldHandleWhatCameBehindACompletionThatItCannotHandle() {
    Scripted wrong = scripted(OTHER);
    Scripted right = scripted(THIRD);
    thread.later(() -> thread.use(wrong.connection));
    thread.later(() -> thread.use(right.connection));
    script.arrivals.add(
        into -> {
          into.add(wrong.connection, CompletionKind.RECEIVED, 999, 0, 100, null);
          into.add(right.connection, CompletionKind.RECEIVED, 3, 0, 100, null);
        });
    thread.turn(0, true);
    int posted = right.receives.size();
    while (!script.arrivals.isEmpty()) {
      thread.turn(0, true);
    }
    assertEquals(1, node.count(RelayCounter.INVALID_CHUNKS));
    assertEquals(3L, right.receives.get(right.receives.size() - 1), posted + " receives posted");
    awaitClosed(wrong);
    assertEquals(0, right.closes.get());
  }

  /** A caller that waits for a flow makes such a turn itself: its reason to stop came in it. */
  @Test
  void shouldNotSleepInATurnThatEndsAFlow() {
    List<OverlayFlow.End> ends = new ArrayList<>();
    thread.turn(0, true);
    node.open(NodeNumber.of(OTHER.id()), 7, new EndsOnly(ends));
    thread.turn(0, false);
    passedNs += RelayNode.TICK_NS;
    thread.turn(0, false);
    passedNs += 2 * FlowPatience.LIMIT_NS;
    thread.turn(LONG_NS, false);
    assertEquals(List.of(OverlayFlow.End.UNREACHABLE), ends);
    assertEquals(0, script.lastWaitNs);
  }

  @Test
  void shouldNotSleepInATurnThatDoesWhatAProgramHasAskedFor() {
    thread.turn(0, true);
    node.open(NodeNumber.of(OTHER.id()), 7, new EndsOnly(new ArrayList<>()));
    thread.turn(LONG_NS, false);
    assertEquals(0, script.lastWaitNs);
  }

  @Test
  void shouldDoWhatIsDueThoughItsTransportIsClosed() {
    script.arrivals.add(
        into -> {
          throw new IllegalStateException("the poller is closed");
        });
    thread.turn(0, true);
    Scripted late = scripted(OTHER);
    thread.later(() -> thread.use(late.connection));
    script.arrivals.clear();
    script.arrivals.add(
        into -> {
          throw new IllegalStateException("the poller is closed");
        });
    thread.turn(LONG_NS, true);
    assertTrue(script.arrivals.isEmpty());
    assertTrue(late.receives.size() > 0);
  }

  @Test
  void shouldFreeTheMemoryOfAConnectionThatCannotBePolled() {
    script.adds =
        connection -> {
          throw new IllegalStateException("closed");
        };
    Scripted closed = scripted(OTHER);
    thread.later(() -> thread.use(closed.connection));
    thread.turn(0, true);
    assertEquals(0, script.openMemories.get());
    awaitClosed(closed);
  }

  @Test
  void shouldGiveUpAnAttemptToConnectWhenItCloses() throws Exception {
    script.hasNeighbour = true;
    thread.start();
    ChannelFuture<Connection> attempt = script.connects.poll(20, TimeUnit.SECONDS);
    thread.close();
    assertTrue(attempt.isCancelled());
  }

  @Test
  void shouldCloseAConnectionThatComesAfterItsEnd() throws Exception {
    thread.start();
    ChannelFuture<Connection> accept = nextAccept();
    thread.close();
    Scripted late = scripted(OTHER);
    accept.complete(late.connection);
    awaitClosed(late);
  }
}
