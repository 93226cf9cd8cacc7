// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class ConnectRequestTest {
  @Test
  void shouldRefuseAConnectToNowhere() {
    for (InetSocketAddress nowhere :
        new InetSocketAddress[] {
          InetSocketAddress.createUnresolved("peer", 1), new InetSocketAddress(TestNode.LOOPBACK, 0)
        }) {
      assertThrows(
          IllegalArgumentException.class,
          () ->
              new ConnectRequest(
                  TestNode.LOOPBACK, nowhere, Samples.SENDER, "", 0, 0, Samples.ENDPOINT, 0));
    }
  }

  @Test
  void shouldNameTheNodeByItsNameIfThatIsKnown() {
    String id = Samples.SENDER.shortId();
    assertTrue(requestTo("b").toString().startsWith("node b (" + id + ") at "));
    assertTrue(requestTo("").toString().startsWith("node " + id + " at "));
  }

  private static ConnectRequest requestTo(String name) {
    return new ConnectRequest(
        TestNode.LOOPBACK,
        new InetSocketAddress(TestNode.LOOPBACK, 1),
        Samples.SENDER,
        name,
        0,
        0,
        Samples.ENDPOINT,
        0);
  }
}
