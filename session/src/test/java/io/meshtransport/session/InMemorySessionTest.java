// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.Arrays;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** {@link SessionContract} over the smallest transport that there is. */
class InMemorySessionTest extends SessionContract {
  @Override
  Transport transport(String name) {
    return new InMemoryTransport(name);
  }

  /** As {@link #shouldTellTheSecondNodeOfANameWhyItIsRefused}, with a cable that is cut then. */
  @Test
  void shouldGoOnWithTheNodeThatHadTheNameFirst() throws Exception {
    SessionOptions quick =
        SessionOptions.DEFAULT.reconnect(
            Duration.ofSeconds(2), Duration.ofMillis(20), Duration.ofMillis(100));
    SessionNode a = node("a", quick);
    SessionNode first = node("b", quick);
    byte[] handle = handles.get("b");
    PeerSession toB = a.session.to("b");
    assertEquals("1!", SessionNode.text(toB.call(SessionNode.bytes("1"), SOON)));
    SessionNode second = node("c", quick.name("b"));
    assertFalse(Arrays.equals(handle, handles.get("b")), "the name leads to the second");
    PeerSession toA = second.session.to("a");
    toA.connectNow();
    Awaitility.await().atMost(SOON).until(() -> toB.life().nextDueNs() != Long.MAX_VALUE);
    InMemoryTransport.cut(toB.life().linkTo(first.transport.self().id()).connection);
    Awaitility.await()
        .atMost(SOON)
        .until(() -> toA.failure().filter(each -> each.reason() == Reason.REFUSED).isPresent());
    assertTrue(toA.failure().orElseThrow().getMessage().contains("two nodes of the name 'b'"));
    assertEquals("2!", SessionNode.text(toB.call(SessionNode.bytes("2"), SOON)));
    assertEquals(first.transport.self(), toB.lastPeer().orElseThrow());
    assertFalse(a.events.contains("b has ended"));
  }
}
