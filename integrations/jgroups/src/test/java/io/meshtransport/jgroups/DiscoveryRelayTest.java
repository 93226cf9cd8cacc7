// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.session.directory.Directory;
import io.meshtransport.session.directory.Nodes;
import io.meshtransport.session.directory.VirtualTime;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.protocols.PingHeader;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Test;

class DiscoveryRelayTest {
  private static final short PING = 6;
  private static final short OTHER = 7;

  private final VirtualTime time = new VirtualTime();
  private final Directory directory = Nodes.directory(Nodes.node(1), LogManager.getLogger());
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

  private static InetSocketAddress seed(int host) {
    return new InetSocketAddress("10.77.1." + host, 4791);
  }

  private static IpAddress overlay(int number) {
    return OverlayNetwork.address(Nodes.node(number));
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
            search(PING).setDest(overlay(2)),
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
    return new IpAddress(seed(host).getAddress(), seed(host).getPort());
  }

  @Test
  void shouldQueryAddressesOnCablesAndEveryNodeOnce() {
    directory.introduce(Nodes.node(2));
    Message one = search(PING);
    for (int host : new int[] {2, 3}) {
      Message another = one.copy(true, true).setDest(onCable(host));
      assertTrue(searches.relay(another.setFlag(Message.TransientFlag.DONT_LOOPBACK)));
    }
    assertEquals(List.of(overlay(2)), queried());
    assertEquals(List.of(seed(2), seed(3)), seeds);
    directory.introduce(Nodes.node(3));
    time.pass(0);
    assertEquals(List.of(overlay(3)), queried());
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
    assertEquals(List.of(overlay(2), overlay(3)), queried().stream().sorted().toList());
    assertEquals(null, search.getDest());
  }

  @Test
  void shouldQueryNodesFoundWhileTheDiscoveryIsOpenAndNoneLater() {
    assertTrue(searches.relay(search(PING)));
    assertEquals(List.of(), queried());
    directory.introduce(Nodes.node(2));
    time.pass(0);
    assertEquals(List.of(overlay(2)), queried());
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
