// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.spi.Overlay;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsContractTest;
import io.meshtransport.verbs.VerbsDevice;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterAll;

/**
 * The verbs' contract on soft devices whose frames travel over flows of an overlay: tests {@link
 * FlowNetwork}, {@link FlowStream} and {@link FlowConnection}. The contract of transports over real
 * relays is in RelayedContractTest.
 */
class FlowContractTest extends VerbsContractTest {
  private static final InMemoryOverlays OVERLAYS = new InMemoryOverlays();
  private final NodeId left = NodeId.random(new SecureRandom());
  private final NodeId right = NodeId.random(new SecureRandom());

  /** A device of a node that knows the other. */
  static VerbsDevice open(InMemoryOverlays overlays, NodeId self, NodeId other) {
    FlowNetwork network =
        new FlowNetwork(
            overlays.at(self.toString()),
            Overlay.NIC,
            OverlayAddress.nic(self).addresses().get(0).gid(),
            OverlayAddress.MTU_BYTES);
    SoftDevice device = new SoftDevice(Overlay.NIC, network);
    network.know(other);
    overlays
        .at(self.toString())
        .listen(
            (flow, nodeId, port) ->
                port == FlowNetwork.FLOW_PORT ? network.accept(flow, nodeId) : null);
    return device;
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
}
