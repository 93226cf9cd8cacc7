// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The reason and text of a failed dial.
 *
 * <p>Also tests {@link PlainCause}.
 */
class ConnectFailureTest {
  private static ConnectFailure of(Throwable failure, long afterMs) throws Exception {
    InetAddress peer = InetAddress.getByName("10.0.1.2");
    ConnectRequest request =
        new ConnectRequest(
            InetAddress.getByName("192.0.2.1"),
            new InetSocketAddress(peer, 4791),
            Samples.RECEIVER,
            "",
            0,
            0,
            Samples.ENDPOINT,
            0);
    return ConnectFailure.of(failure, request, TimeUnit.MILLISECONDS.toNanos(afterMs));
  }

  @Test
  void shouldDistinguishAHostThatRefusesFromOneThatIsSilent() throws Exception {
    ConnectFailure refused = of(new ConnectException("Connection refused"), 1);
    assertTrue(refused.text().contains("10.0.1.2 is up and refuses"), refused.text());
    assertTrue(refused.cause() instanceof ConnectException);

    ConnectFailure silent = of(new ConnectException("Connection timed out"), 3000);
    assertTrue(silent.text().contains("No answer from 10.0.1.2"), silent.text());
    assertFalse(silent.cause() instanceof ConnectException, "its host has said nothing");
  }

  @Test
  void shouldDistinguishNoNeighbourFromNoRoute() throws Exception {
    assertTrue(
        of(new NoRouteToHostException("No route to host"), 1).text().contains("No host answers"));
    ConnectFailure noRoute = of(new SocketException("Network is unreachable"), 1);
    assertTrue(noRoute.text().contains("This host has no route to 10.0.1.2"), noRoute.text());
    assertEquals(Reason.PEER_UNREACHABLE, noRoute.reason());
  }

  @Test
  void shouldSayThatTheOwnAddressIsGone() throws Exception {
    ConnectFailure gone = of(new BindException("Cannot assign requested address"), 1);
    assertEquals(Reason.LOCAL_SOCKET, gone.reason());
    assertTrue(
        gone.text().startsWith("192.0.2.1 is no longer an address of this host"), gone.text());
  }
}
