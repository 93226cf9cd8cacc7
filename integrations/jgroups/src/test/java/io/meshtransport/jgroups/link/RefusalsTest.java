// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalsTest {
  @ParameterizedTest
  @EnumSource
  void shouldKeepTheReasonAndTheText(Reason reason) {
    TransportException why = new TransportException(reason, "the text");
    SocketException refusal = Refusals.of(why);
    assertSame(why, refusal.getCause());
    assertEquals(reason + ": the text", refusal.getMessage());
    Class<?> expected =
        switch (reason) {
          case NO_ROUTE -> NoRouteToHostException.class;
          case PEER_UNREACHABLE, REFUSED, WRONG_PEER, TIMED_OUT -> ConnectException.class;
          default -> SocketException.class;
        };
    assertSame(expected, refusal.getClass());
  }
}
