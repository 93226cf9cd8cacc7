// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link MemberLinks} to peers that do not do their part. */
class MemberLinksTest {
  private static final int PEER = 1;

  private final List<String> lost = new ArrayList<>();
  private ChannelState state = ChannelState.READY;
  private int maxRequests = MemberLinks.REQUESTS;
  private long begun = 1;
  private boolean isPollerClosed;
  private final MemberLinks links = links();

  private MemberLinks links() {
    Poller poller =
        Fakes.of(
            Poller.class,
            (proxy, method, arguments) -> {
              if (isPollerClosed && method.getName().equals("add")) {
                throw new IllegalStateException("the poller is closed");
              }
              return null;
            });
    RegisteredMemory memory = Fakes.of(RegisteredMemory.class, (proxy, method, arguments) -> null);
    Transport transport =
        Fakes.of(
            Transport.class,
            (proxy, method, arguments) -> method.getName().equals("allocate") ? memory : poller);
    try {
      MemberLinks made = new MemberLinks(transport, 2);
      made.events(new Losses());
      return made;
    } catch (TransportException e) {
      throw new AssertionError(e);
    }
  }

  private final class Losses implements MemberLinks.Events {
    @Override
    public void putDone(long userData) {}

    @Override
    public void notice(int rank, int notice) {}

    @Override
    public void control(int rank, ByteBuffer message) {}

    @Override
    public void lost(int rank, TransportException why) {
      lost.add(rank + ": " + why.summary());
    }

    @Override
    public void closed(IllegalStateException why) {
      throw why;
    }
  }

  private Connection peer() {
    return Fakes.of(
        Connection.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "state" -> state;
              case "maxRequests" -> maxRequests;
              case "irecv", "isend" -> begin();
              default -> "the peer";
            });
  }

  private long begin() {
    if (state == ChannelState.CLOSED) {
      throw new IllegalStateException("this channel is closed");
    }
    return begun;
  }

  private void send() {
    links.send(PEER, ByteBuffer.allocate(8));
  }

  @Test
  void shouldRefuseAPeerWithRequestsForControlMessagesAlone() {
    maxRequests = 24;
    TransportException refused =
        assertThrows(TransportException.class, () -> links.add(PEER, peer()));
    assertEquals(TransportException.Reason.PROTOCOL, refused.reason());
  }

  @Test
  void shouldDoNothingOnAConnectionThatIsClosed() throws Exception {
    state = ChannelState.CLOSED;
    links.add(PEER, peer());
    send();
    assertEquals(0, links.controlOutstanding());
  }

  @Test
  void shouldLoseNoMessageUnnoticed() throws Exception {
    links.add(PEER, peer());
    begun = Channel.BUSY;
    IllegalStateException busy = assertThrows(IllegalStateException.class, this::send);
    assertTrue(busy.getMessage().contains("the peer is busy"), busy.getMessage());
  }

  @Test
  void shouldGiveUpAPeerThatTakesNoMessages() throws Exception {
    links.add(PEER, peer());
    int sent = 0;
    while (lost.isEmpty() && sent < 1_000) {
      send();
      sent++;
    }
    assertEquals(1, lost.size());
    assertTrue(lost.get(0).startsWith("1: "), lost.get(0));
    assertEquals(sent - 1, links.controlOutstanding(), "what is beyond is not kept");
  }

  @Test
  void shouldSayThatTheTransportWasClosedBeforeAConnectionCame() {
    isPollerClosed = true;
    state = ChannelState.CLOSED;
    TransportException closed =
        assertThrows(TransportException.class, () -> links.add(PEER, peer()));
    assertEquals(TransportException.Reason.CLOSED, closed.reason());
    state = ChannelState.READY;
    assertThrows(IllegalStateException.class, () -> links.add(PEER, peer()));
  }
}
