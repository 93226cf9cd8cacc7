// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.RouteDescription;
import io.meshtransport.transport.connect.RoutePlanner;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests also {@link RouteDescription} and {@link RoutePlanner}. */
class NoRouteTest {
  /** As while a peer's only address is moved from one interface to another. */
  @Test
  void shouldSayThatAHandleWithoutAddressesMustBeGotAgain() {
    Routes none = new Routes(List.of(), List.of(), List.of(), List.of());
    TransportException why = NoRoute.to("node a1", none, List.of());

    assertEquals(Reason.NO_ROUTE, why.reason());
    assertTrue(why.getMessage().contains("names no address"), why.getMessage());
    assertTrue(why.getMessage().contains("get a new handle"), why.getMessage());
    assertFalse(why.retryHelps());
  }
}
