// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.PeerHello;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.transport.connect.ChannelAcceptor;
import io.meshtransport.transport.connect.ChannelParameters;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that cannot answer a HELLO, since its own end makes no valid answer, keeps nothing. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UntellableEndpointTest {
  private static final int RAILS = 2;
  private static final int CHUNK_BYTES = 1_000;

  @Test
  void shouldRefuseAndCloseTheQueuePair() throws Exception {
    WatchedDevice[] watched = new WatchedDevice[1];
    // Closing it fails if a queue pair is left.
    try (SimulatedLine line =
        SimulatedLine.railed(
            1,
            SimulatedCable.usual(),
            CHUNK_BYTES,
            1,
            RAILS,
            (name, device) -> {
              if (!name.equals(SimulatedLine.TO)) {
                return device;
              }
              watched[0] = new WatchedDevice(device);
              // Parts so short that no channel can count them.
              watched[0].maxMessageBytes(ChannelParameters.MIN_MESSAGE_BYTES / 2);
              return watched[0].device();
            })) {
      try (MeshEndpoint theirs = SimulatedLine.link(line.from, 0, QueueDepths.sender(RAILS, 1))) {
        QueuePairAddress hello =
            line.from
                .context()
                .endpoints()
                .address(theirs, 1, Optional.of(new RailId(SimulatedLine.BUNDLE, 1, RAILS, 1)));
        long before = left(watched[0]);
        RefusedException refused =
            assertThrows(
                RefusedException.class,
                () ->
                    new ChannelAcceptor(line.to.context())
                        .offer(
                            new PeerHello(new ConnectionNonce(7, 1), line.from.node(), 0, 0, hello),
                            address(line.to),
                            address(line.from)));
        assertTrue(refused.getMessage().contains("cannot be told"), refused.getMessage());
        assertEquals(before, left(watched[0]), "queue pairs that are not closed");
      }
    }
  }

  private static long left(WatchedDevice device) {
    long made =
        device.calls(QueuePair.class).stream().map(WatchedDevice.Call::of).distinct().count();
    return made
        - device.calls(QueuePair.class).stream()
            .filter(call -> call.method().equals("close"))
            .count();
  }

  private static InetSocketAddress address(MeshTransport transport) {
    return new InetSocketAddress(
        transport.context().nics().now().get(0).nic().addresses().get(0).link().address(), 1);
  }
}
