package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.protocols.PingHeader;
import org.junit.jupiter.api.Test;

class MulticastSearchTest {
  private static final short PING = 6;
  private static final short OTHER = 7;

  private final VirtualTime time = new VirtualTime();
  private final Directory directory = new Directory(Nodes.node(1), new RecordingLog().log);
  private final List<Message> sent = new ArrayList<>();
  private final MulticastSearch searches = new MulticastSearch(directory, sent::add, time);

  private static Message request(short protocol, byte type) {
    return new BytesMessage(null, "who".getBytes())
        .putHeader(protocol, new PingHeader(type).clusterName("group"))
        .setFlag(Message.Flag.OOB, Message.Flag.DONT_BUNDLE)
        .setFlag(Message.TransientFlag.DONT_LOOPBACK);
  }

  private static Message search(short protocol) {
    return request(protocol, PingHeader.GET_MBRS_REQ);
  }

  private List<Object> asked() {
    List<Object> destinations = new ArrayList<>(sent.stream().map(Message::getDest).toList());
    sent.clear();
    return destinations;
  }

  @Test
  void shouldTakeOnlyRequestsToAllForSearches() {
    assertTrue(MulticastSearch.isOne(search(PING)));
    assertFalse(MulticastSearch.isOne(search(PING).setDest(Nodes.node(2).overlay())));
    assertFalse(MulticastSearch.isOne(request(PING, PingHeader.GET_MBRS_RSP)));
    assertFalse(MulticastSearch.isOne(new BytesMessage(null)));
    assertFalse(
        MulticastSearch.isOne(new BytesMessage(null).setFlag(Message.TransientFlag.DONT_LOOPBACK)));
  }

  @Test
  void shouldAskEveryKnownNodeWithTheSameRequest() {
    directory.learn(Nodes.node(2));
    directory.learn(Nodes.node(3));
    Message search = search(PING);
    searches.begin(search);
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
        asked().stream().sorted().toList());
    assertEquals(null, search.getDest());
  }

  @Test
  void shouldAskWhoBecomesKnownWhileTheSearchIsOpenAndNobodyLater() {
    searches.begin(search(PING));
    assertEquals(List.of(), asked());
    directory.learn(Nodes.node(2));
    time.pass(0);
    assertEquals(List.of(Nodes.node(2).overlay()), asked());
    time.pass(MulticastSearch.KEPT_MS);
    directory.learn(Nodes.node(3));
    time.pass(0);
    assertEquals(List.of(), asked());
  }

  @Test
  void shouldKeepTheNewestSearchOfEachProtocol() {
    searches.begin(search(PING));
    time.pass(MulticastSearch.KEPT_MS - 1);
    searches.begin(search(PING));
    searches.begin(search(OTHER));
    time.pass(1);
    directory.learn(Nodes.node(2));
    time.pass(0);
    assertEquals(2, asked().size());
  }
}
