// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.protocols.PingHeader;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Test;

class DiscoveryRelayTest {
  private static final short PING = 6;
  private static final short OTHER = 7;

  private final VirtualTime time = new VirtualTime();
  private final Directory directory = Nodes.directory(Nodes.node(1), new RecordingLog().log);
  private final List<Message> sent = new ArrayList<>();
  private final List<InetSocketAddress> seeds = new ArrayList<>();
  private final DiscoveryRelay searches =
      new DiscoveryRelay(
          directory, OverlayNetwork.parse(OverlayNetwork.DEFAULT), seeds::add, sent::add, time);

  private static Message request(short protocol, byte type) {
    return new BytesMessage(null, "who".getBytes())
        .putHeader(protocol, new PingHeader(type).clusterName("group"))
        .setFlag(Message.Flag.OOB, Message.Flag.DONT_BUNDLE)
        .setFlag(Message.TransientFlag.DONT_LOOPBACK);
  }

  private static Message search(short protocol) {
    return request(protocol, PingHeader.GET_MBRS_REQ);
  }

  private List<Object> queried() {
    List<Object> destinations = new ArrayList<>(sent.stream().map(Message::getDest).toList());
    sent.clear();
    return destinations;
  }

  @Test
  void shouldRelayOnlyDiscoveryRequests() {
    directory.introduce(Nodes.node(2));
    for (Message other :
        List.of(
            search(PING).setDest(Nodes.node(2).overlay()),
            request(PING, PingHeader.GET_MBRS_RSP),
            request(PING, PingHeader.GET_MBRS_RSP).setDest(onCable(2)),
            new BytesMessage(null),
            new BytesMessage(onCable(2)),
            new BytesMessage(null).setFlag(Message.TransientFlag.DONT_LOOPBACK))) {
      assertFalse(searches.relay(other), other::toString);
    }
    assertEquals(List.of(), queried());
    assertEquals(List.of(), seeds);
  }

  private static IpAddress onCable(int host) {
    return new IpAddress(Nodes.address(10, 77, 1, host), Nodes.PORT);
  }

  @Test
  void shouldQueryAddressesOnCablesAndEveryNodeOnce() {
    directory.introduce(Nodes.node(2));
    Message one = search(PING);
    for (int host : new int[] {2, 3}) {
      Message another = one.copy(true, true).setDest(onCable(host));
      assertTrue(searches.relay(another.setFlag(Message.TransientFlag.DONT_LOOPBACK)));
    }
    assertEquals(List.of(Nodes.node(2).overlay()), queried());
    assertEquals(List.of(ScriptedPeers.at(2), ScriptedPeers.at(3)), seeds);
    directory.introduce(Nodes.node(3));
    time.pass(0);
    assertEquals(List.of(Nodes.node(3).overlay()), queried());
    time.pass(DiscoveryRelay.KEPT_MS);
    directory.introduce(Nodes.node(4));
    time.pass(0);
    assertEquals(List.of(), queried());
  }

  @Test
  void shouldSendEveryKnownNodeTheSameRequest() {
    directory.introduce(Nodes.node(2));
    directory.introduce(Nodes.node(3));
    Message search = search(PING);
    assertTrue(searches.relay(search));
    assertEquals(2, sent.size());
    for (Message copy : sent) {
      assertTrue(copy.isFlagSet(Message.TransientFlag.DONT_LOOPBACK));
      assertTrue(copy.isFlagSet(Message.Flag.OOB) && copy.isFlagSet(Message.Flag.DONT_BUNDLE));
      assertEquals("who", new String(copy.getArray()));
      PingHeader header = copy.getHeader(PING);
      assertEquals(PingHeader.GET_MBRS_REQ, header.type());
    }
    assertEquals(
        List.of(Nodes.node(2).overlay(), Nodes.node(3).overlay()),
        queried().stream().sorted().toList());
    assertEquals(null, search.getDest());
  }

  @Test
  void shouldQueryNodesFoundWhileTheDiscoveryIsOpenAndNoneLater() {
    assertTrue(searches.relay(search(PING)));
    assertEquals(List.of(), queried());
    directory.introduce(Nodes.node(2));
    time.pass(0);
    assertEquals(List.of(Nodes.node(2).overlay()), queried());
    time.pass(DiscoveryRelay.KEPT_MS);
    directory.introduce(Nodes.node(3));
    time.pass(0);
    assertEquals(List.of(), queried());
  }

  @Test
  void shouldKeepTheNewestSearchOfEachProtocol() {
    assertTrue(searches.relay(search(PING)));
    time.pass(DiscoveryRelay.KEPT_MS - 1);
    assertTrue(searches.relay(search(PING)));
    assertTrue(searches.relay(search(OTHER)));
    time.pass(1);
    directory.introduce(Nodes.node(2));
    time.pass(0);
    assertEquals(2, queried().size());
  }
}
