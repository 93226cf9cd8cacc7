// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.verbs.WirePort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenersTest {
  private static GidEntry row(int index, String address) throws Exception {
    Gid gid = Gid.of(InetAddress.getByName(address));
    return new GidEntry(gid, index, GidType.SOFT, "lo", 1);
  }

  @Test
  void shouldKeepItsPortWhenItsOnlyAddressWasAway() throws Exception {
    Listeners listeners = new Listeners(WirePort.ANY);
    List<GidEntry> rows = List.of(row(0, "127.77.71.2"));
    listeners.listenOn(rows);
    int port = listeners.port();
    listeners.listenOn(List.of());
    listeners.listenOn(rows);
    assertEquals(port, listeners.port());
    listeners.close();
  }

  /** As when descriptors run out at the second: what the first has must not keep the port. */
  @Test
  void shouldLeaveNothingOpenWhenOneOfItsAddressesFails() throws Exception {
    InetAddress here = InetAddress.getByName("127.77.71.1");
    int free;
    try (ServerSocket any = new ServerSocket(0, 1, here)) {
      free = any.getLocalPort();
    }
    Listeners listeners = new Listeners(new WirePort(free, true));
    // A link-local address without its interface cannot be listened on (man 7 ipv6).
    List<GidEntry> rows = List.of(row(0, here.getHostAddress()), row(1, "fe80::77:71"));
    assertThrows(Exception.class, () -> listeners.listenOn(rows));
    listeners.close();
    try (ServerSocket again = new ServerSocket()) {
      again.bind(new InetSocketAddress(here, free));
      assertEquals(free, again.getLocalPort());
    }
  }
}
