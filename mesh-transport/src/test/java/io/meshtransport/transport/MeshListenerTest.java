// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.connect.MeshListener;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.ncclmesh.NcclMeshEndpoint;
import io.meshtransport.transport.ncclmesh.NcclMeshReceiveChannel;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who keeps a place among the channels that wait to be accepted. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MeshListenerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static NcclMeshReceiveChannel outsider(MeshTransport transport) throws Exception {
    OpenNic nic = transport.context().nics().now().get(0);
    NcclMeshReceiveChannel outsider =
        new NcclMeshReceiveChannel(
            transport.context().forChannels(),
            SimulatedLine.ready("from"),
            NcclMeshEndpoint.open(nic, nic.nic().gid()),
            SimulatedLine.route(transport, SimulatedLine.FROM));
    assertTrue(transport.context().channels().adopt(outsider, Optional.empty()));
    return outsider;
  }

  @Test
  void shouldCloseTheOldestOfTooManyOutsidersAndNobodyElse() throws Exception {
    try (SimulatedLine line =
            new SimulatedLine(1, new SimulatedCable(5_000, 0, 1_000_000_000L), 4_096);
        MeshListener listener = (MeshListener) line.to.listen()) {
      assertTrue(listener.deliver(line.in));
      List<NcclMeshReceiveChannel> outsiders = new ArrayList<>();
      for (int i = 0; i <= MeshListener.MAX_WAITING_UNPROVED; i++) {
        outsiders.add(outsider(line.to));
        assertTrue(listener.deliverUnproved(outsiders.get(i)));
      }
      awaitClosed(outsiders.get(0));
      assertSame(line.in, listener.accept().await(PATIENCE));
      for (NcclMeshReceiveChannel kept : outsiders.subList(1, outsiders.size())) {
        assertSame(kept, listener.accept().await(PATIENCE));
        assertEquals(ChannelState.READY, kept.state());
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldNotKeepChannelsWhosePeersHaveGone() throws Exception {
    try (Transport here = open("127.77.22.1");
        Transport there = open("127.77.22.2");
        MeshListener listener = (MeshListener) here.listen()) {
      for (int i = 0; i < 3; i++) {
        there.connect(listener.handle(), PATIENCE).close();
      }
      SendChannel stays = there.connect(listener.handle(), PATIENCE);
      Awaitility.await().atMost(PATIENCE).until(() -> listener.waiting() == 1);
      try (ReceiveChannel in = listener.accept().await(PATIENCE)) {
        assertEquals(ChannelState.READY, in.state());
      }
      stays.close();
    }
  }

  @Test
  @Tag("slow")
  void shouldSayThatAHandleIsThatOfTheTransportItself() throws Exception {
    try (Transport here = open("127.77.22.3");
        Listener listener = here.listen()) {
      TransportException why =
          assertThrows(TransportException.class, () -> here.connect(listener.handle(), PATIENCE));
      assertEquals(TransportException.Reason.NO_ROUTE, why.reason());
      assertTrue(why.getMessage().startsWith("No link to node " + here.self().shortId()));
      here.consult(new Names());
      why = assertThrows(TransportException.class, () -> here.connect(listener.handle(), PATIENCE));
      assertTrue(why.getMessage().startsWith("No link to node c (" + here.self().shortId()));
      String text = "this is the handle of a listener of this transport itself";
      assertTrue(why.getMessage().contains(text), why.getMessage());
    }
  }

  /** Of a mesh where all nodes are called c. */
  private static final class Names implements MeshKnowledge {
    @Override
    public Optional<String> offLink(String nodeId, int interfaceIndex, InetAddress peerAddress) {
      return Optional.empty();
    }

    @Override
    public Peer peer(String nodeId) {
      return new Peer("c", nodeId);
    }
  }

  private static Transport open(String address) throws Exception {
    return Transport.open(Map.of("MESH_LOOPBACK", address + "/24"));
  }

  private static void awaitClosed(NcclMeshReceiveChannel channel) {
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    while (channel.state() != ChannelState.CLOSED) {
      assertTrue(
          System.nanoTime() - endNs < 0, () -> "still " + channel.state() + " after " + PATIENCE);
      Thread.onSpinWait();
    }
  }
}
