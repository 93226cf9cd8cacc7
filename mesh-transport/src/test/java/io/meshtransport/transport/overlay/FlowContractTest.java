// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsContractTest;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.WorkCompletions;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The verbs' contract on soft devices whose frames travel over flows of an overlay: tests {@link
 * FlowNetwork}, {@link FlowStream}, {@link FlowConnection} and {@link DeferredFlows}. The contracts
 * over real relays are in RelayedTransportContractTest and RelayedConnectionContractTest.
 */
class FlowContractTest extends VerbsContractTest {
  private static final InMemoryOverlays OVERLAYS = new InMemoryOverlays();
  private final NodeId left = NodeId.random(new SecureRandom());
  private final NodeId right = NodeId.random(new SecureRandom());

  /** A device of a node that knows the other. */
  static VerbsDevice open(InMemoryOverlays overlays, NodeId self, NodeId other) {
    FlowNetwork network = network(overlays.at(self.toString()), self);
    SoftDevice device = new SoftDevice(Overlay.NIC, network);
    network.know(other);
    overlays
        .at(self.toString())
        .listen(
            (flow, nodeId, port) ->
                port == FlowNetwork.FLOW_PORT ? network.accept(flow, nodeId) : null);
    return device;
  }

  private static FlowNetwork network(Overlay overlay, NodeId self) {
    return new FlowNetwork(
        overlay,
        Overlay.NIC,
        OverlayAddress.nic(self).addresses().get(0).gid(),
        OverlayAddress.MTU_BYTES,
        false);
  }

  @Override
  protected VerbsDevice openLeft() {
    return open(OVERLAYS, left, right);
  }

  @Override
  protected VerbsDevice openRight() {
    return open(OVERLAYS, right, left);
  }

  @AfterAll
  static void closeOverlays() throws InterruptedException {
    OVERLAYS.close();
  }

  @Override
  protected Traits traits() {
    return Traits.ofSoft();
  }

  /** What becomes of a queue pair that waits for its peer, and why it says so. */
  private String lossAfter(Runnable event) throws Exception {
    ContractPair pair = pair();
    pair.connect();
    // Without a flow there would be nothing to lose, and the next one would be sound.
    pair.a.queuePair.connected().toCompletableFuture().get(20, TimeUnit.SECONDS);
    event.run();
    pair.awaitEvent(pair.a, AsyncEvent.Type.QP_FATAL);
    pair.a.postReceive(7, 0, 64);
    WorkCompletions flushed = pair.a.receives.newCompletions(1);
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> pair.a.receives.poll(flushed) == 1);
    assertEquals(CompletionStatus.WR_FLUSH_ERR, flushed.status(0));
    return pair.left.vendorErrorText(flushed.vendorError(0));
  }

  /** Bytes of other devices may end what this thread waits for in the overlay. */
  @Test
  void shouldEndTheWaitOfThisThreadInTheOverlay() {
    List<String> calls = new ArrayList<>();
    Overlay overlay =
        (Overlay)
            Proxy.newProxyInstance(
                Overlay.class.getClassLoader(),
                new Class<?>[] {Overlay.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  return null;
                });
    network(overlay, left).endOwnWait();
    assertEquals(List.of("endOwnWait"), calls);
  }

  @Test
  void shouldSayThatNoPathLeadsToThePeer() throws Exception {
    String text = lossAfter(() -> OVERLAYS.lose(left.toString()));
    assertTrue(text.contains("no path over other nodes"), text);
  }

  @Test
  void shouldNotSayThatTheProcessHasEndedThatDoesNotKnowTheFlow() throws Exception {
    String text = lossAfter(() -> OVERLAYS.forget(right.toString()));
    assertTrue(text.contains("or does not know that flow; its process may live"), text);
    assertFalse(text.contains("process has ended"), text);
  }

  @Test
  void shouldAbortAFlowThatDoesNotBeginAsStreamsDo() throws Exception {
    CompletableFuture<OverlayFlow.End> ended = new CompletableFuture<>();
    try (VerbsDevice device = openRight()) {
      OverlayFlow flow =
          OVERLAYS
              .at(left.toString())
              .open(right.toString(), FlowNetwork.FLOW_PORT, new EndOfFlow(ended));
      flow.write(ByteBuffer.allocate(FlowHello.HELLO_BYTES));
      flow.flush();
      assertEquals(OverlayFlow.End.RESET, ended.get(20, TimeUnit.SECONDS), device.toString());
    }
  }

  /** Hears how a flow ends, over which nothing comes. */
  private record EndOfFlow(CompletableFuture<OverlayFlow.End> ended)
      implements OverlayFlow.Listener {
    @Override
    public void onBytes(ByteBuffer bytes) {
      ended.completeExceptionally(new AssertionError(bytes + " have come"));
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(OverlayFlow.End end, String evidence) {
      ended.complete(end);
    }
  }
}
