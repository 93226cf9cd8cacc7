// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.PeerQueuePair;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a link tells the device on its way to RTS, and in which order.
 *
 * <p>Also tests {@link io.meshtransport.transport.connect.EndpointBringUp} and {@link
 * io.meshtransport.transport.connect.EndpointHandshake}.
 */
class LinkSetUpTest {
  private static final QueuePairSettings SETTINGS = new QueuePairSettings(4096, 104, 3, 15, 5, 4);
  private static final int PSN = 0xABCDEF;
  private static final int ETH1 = 3;
  private static final int VLAN = 9;

  private WatchedDevice watched;
  private OpenNic nic;
  private Gid own;

  @BeforeEach
  void openANic() throws Exception {
    SimulatedFabric fabric = new SimulatedFabric(1, new SimulatedCable(1_000, 0, 1_000_000_000L));
    watched = new WatchedDevice(fabric.open("a"));
    own = Gid.of(InetAddress.getByName("10.0.1.1"));
    watched.gidTable(row(1, ETH1));
    watched.activeMtuBytes(4096);
    NicAddress address =
        new NicAddress(new LinkAddress(InetAddress.getByName("10.0.1.1"), 24), row(1, ETH1));
    nic = OpenNic.over(0, nic(address), watched.device());
  }

  private static Nic nic(NicAddress address) {
    return new Nic(
        "ibverbs", "mlx5_1", 1, "eth1", ETH1, List.of(address), 0, 4096, PortState.ACTIVE, "", -1);
  }

  private GidEntry row(int index, int ifindex) {
    return new GidEntry(own, index, GidType.ROCE_V2, "", ifindex);
  }

  @AfterEach
  void closeIt() throws Exception {
    nic.close();
  }

  @Test
  void shouldPostItsFirstReceivesBeforeThePeerMaySend() throws Exception {
    try (MeshEndpoint link = link()) {
      link.connect(peer(link, 4096), SETTINGS);
      List<String> calls = calls();
      assertEquals("toInit", calls.get(0));
      int ready = calls.indexOf("toReadyToReceive");
      assertEquals(List.of("toInit", "postReceive"), calls.subList(0, ready));
      assertEquals(QueueDepths.RECEIVER.firstReceives(), argument("postReceive"));
      assertEquals(
          List.of("toReadyToReceive", "toReadyToSend"), calls.subList(ready, calls.size()));
    }
  }

  @Test
  void shouldPassOnWhyControlMemoryWasNotRegistered() {
    watched.refuse("register");
    VerbsException refused = assertThrows(VerbsException.class, this::link);
    assertEquals("register failed: errno 5 (EIO).", refused.getMessage());
  }

  @Test
  void shouldTellTheDeviceWhatTheSettingsSay() throws Exception {
    try (MeshEndpoint link = link()) {
      link.connect(peer(link, 4096), SETTINGS);
      ReadyToReceiveAttributes receive = receiveAttributes();
      assertEquals(1, receive.peer().sourceGidIndex());
      assertEquals(64, receive.peer().hopLimit());
      assertEquals(104, receive.peer().trafficClass());
      assertEquals(3, receive.peer().serviceLevel());
      assertEquals(link.number(), receive.peerQueuePair());
      ReadyToSendAttributes send = (ReadyToSendAttributes) argument("toReadyToSend");
      assertEquals(PSN, send.sendPsn());
      assertEquals(15, send.timeout());
      assertEquals(5, send.retryCount());
      assertEquals(4, send.rnrRetry());
    }
  }

  @Test
  void shouldPreferThePriorityOfTheConnectionToThatOfTheSettings() throws Exception {
    try (MeshEndpoint link = link()) {
      link.connect(peer(link, 4096), SETTINGS.with(ConnectOptions.DEFAULT.trafficClass(96)));
      ReadyToReceiveAttributes receive = receiveAttributes();
      assertEquals(96, receive.peer().trafficClass());
      assertEquals(3, receive.peer().serviceLevel());
      assertEquals(5, SETTINGS.with(ConnectOptions.DEFAULT.serviceLevel(5)).serviceLevel());
      assertEquals(SETTINGS, SETTINGS.with(ConnectOptions.DEFAULT));
    }
  }

  @Test
  void shouldTakeTheSmallerMtuOfBothEnds() throws Exception {
    assertEquals(1024, pathMtu(4096, 1024, SETTINGS));
    assertEquals(1024, pathMtu(1024, 4096, SETTINGS));
    assertEquals(4096, pathMtu(4096, 4096, SETTINGS));
    assertEquals(512, pathMtu(4096, 4096, new QueuePairSettings(512, 0, 0, 14, 6, 6)));
  }

  /**
   * @param ourBytes what the port says when the link is made, which may be long after discovery
   */
  private int pathMtu(int ourBytes, int theirBytes, QueuePairSettings settings) throws Exception {
    watched.activeMtuBytes(ourBytes);
    try (MeshEndpoint link = link()) {
      assertEquals(Math.min(ourBytes, settings.mtuBytes()), link.mtuBytes(settings));
      link.connect(peer(link, theirBytes), settings);
      return receiveAttributes().pathMtuBytes();
    }
  }

  @Test
  void shouldSendShortPayloadsInlineOnAnAdapter() throws Exception {
    try (MeshEndpoint link = link()) {
      assertEquals(SendFlags.INLINE, link.inline(1));
      assertEquals(SendFlags.INLINE, link.inline(64));
      assertEquals(0, link.inline(65));
      assertEquals(0, link.inline(0), "nothing is nowhere");
    }
  }

  @Test
  void shouldDoWithoutInlineWhereTheDeviceHasNoRoomForIt() throws Exception {
    watched.refuseInline();
    try (MeshEndpoint link = link()) {
      assertEquals(0, link.inline(1));
    }
  }

  @Test
  void shouldNotCopyShortPayloadsOnceMoreInSoftware() throws Exception {
    try (SimulatedLine line =
        new SimulatedLine(1, new SimulatedCable(1_000, 0, 1_000_000_000L), 1 << 20)) {
      assertEquals(0, line.out.control().primary().inline(1));
    }
  }

  @Test
  void shouldFollowARowThatMoves() throws Exception {
    watched.gidTable(row(5, ETH1));
    try (MeshEndpoint link = link()) {
      link.connect(peer(link, 4096), SETTINGS);
      assertEquals(5, receiveAttributes().peer().sourceGidIndex());
    }
  }

  @Test
  void shouldNotTakeTheTwinOfAVlan() throws Exception {
    watched.gidTable(row(0, VLAN), row(2, ETH1));
    try (MeshEndpoint link = link()) {
      link.connect(peer(link, 4096), SETTINGS);
      assertEquals(2, receiveAttributes().peer().sourceGidIndex());
    }
  }

  @Test
  void shouldSayWhichAddressHasLostItsRow() {
    watched.gidTable(row(0, VLAN));
    VerbsException refused = assertThrows(VerbsException.class, this::link);
    assertEquals(Errno.ENODEV, refused.errno());
    assertTrue(
        refused.getMessage().contains("10.0.1.1 is not in its GID table"), refused.toString());
    assertTrue(refused.getMessage().contains("ip addr show dev eth1"), refused.toString());
  }

  private MeshEndpoint link() throws VerbsException {
    return MeshEndpoint.open(nic, nic.nic().gid(), QueueDepths.RECEIVER, PSN);
  }

  /** Its own peer: RC queue pairs may be connected to themselves. */
  private PeerQueuePair peer(MeshEndpoint link, int mtuBytes) {
    return new PeerQueuePair(link.number(), PSN, own, mtuBytes, link.nic().device().wirePort());
  }

  private List<String> calls() {
    return watched.calls(QueuePair.class).stream()
        .map(WatchedDevice.Call::method)
        .filter(name -> name.startsWith("to") || name.startsWith("post"))
        .toList();
  }

  private ReadyToReceiveAttributes receiveAttributes() {
    return (ReadyToReceiveAttributes) argument("toReadyToReceive");
  }

  /** Of the latest such call. */
  private Object argument(String method) {
    List<WatchedDevice.Call> calls =
        watched.calls(QueuePair.class).stream()
            .filter(call -> call.method().equals(method))
            .toList();
    return calls.get(calls.size() - 1).argument();
  }
}
