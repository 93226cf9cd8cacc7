// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.host.DevicePort;
import io.meshtransport.softverbs.host.ProcNetTcp;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.verbs.WirePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ListenersTest {
  private static GidEntry row(int index, String address) throws Exception {
    return row(index, address, 1);
  }

  private static GidEntry row(int index, String address, int ifindex) throws Exception {
    Gid gid = Gid.of(InetAddress.getByName(address));
    return new GidEntry(gid, index, GidType.SOFT, "lo", ifindex);
  }

  /** With the scope the kernel reports that it is not there; without, it refuses any bind. */
  @Test
  void shouldTryALinkLocalAddressWithTheScopeOfItsRow() throws Exception {
    Listeners listeners = new Listeners(WirePort.ANY);
    List<GidEntry> rows = List.of(row(0, "127.77.71.4"), row(1, "fe80::77:71"));
    listeners.listenOn(rows);
    assertNotEquals(0, listeners.port());
    assertTrue(listeners.isUpToDate(rows, System.nanoTime()), "until it is tried again");
    listeners.close();
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
    List<GidEntry> rows = List.of(row(0, here.getHostAddress()), row(1, "fe80::77:71", 0));
    assertThrows(Exception.class, () -> listeners.listenOn(rows));
    listeners.close();
    try (ServerSocket again = new ServerSocket()) {
      again.bind(new InetSocketAddress(here, free));
      assertEquals(free, again.getLocalPort());
    }
  }

  /** A socket in a selector stays open until the selector has run, which sleeps for a minute. */
  @Test
  void shouldReleaseThePortOfAnAddressOnceTheTableIsReadWithoutIt() throws Exception {
    InetAddress here = InetAddress.getByName("127.77.71.3");
    AtomicReference<List<GidEntry>> rows = new AtomicReference<>(List.of(row(0, "127.77.71.3")));
    DevicePort port = port(rows::get);
    TcpNetwork network =
        new TcpNetwork(
            new SharedDriver(), port, WirePort.ANY, new ProcNetTcp(Path.of("/proc/self/net")));
    try (SoftDevice device = new SoftDevice("moving", network)) {
      for (int i = 0; i < 5; i++) {
        int number = network.wirePort();
        rows.set(List.of());
        assertEquals(List.of(), device.gidTable(1));
        try (ServerSocket other = new ServerSocket()) {
          other.bind(new InetSocketAddress(here, number));
        }
        rows.set(List.of(row(0, "127.77.71.3")));
        assertEquals(1, device.gidTable(1).size());
        assertEquals(number, network.wirePort());
        // Longer than a caller keeps the device's own thread from the selector.
        LockSupport.parkNanos(20_000_000L);
      }
    }
  }

  /** As an IPv6 address whose duplicate detection is under way: a peer may be dialling it. */
  @Test
  void shouldListenOnAnAddressOnceThatCanBeThoughNobodyReadsTheTable() throws Exception {
    List<GidEntry> rows = List.of(row(0, "127.77.71.5"), row(1, "127.77.71.6"));
    InetSocketAddress second;
    SoftDevice device;
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.77.71.6"))) {
      second = (InetSocketAddress) other.getLocalSocketAddress();
      WirePort required = new WirePort(second.getPort(), true);
      device =
          new SoftDevice(
              "late",
              new TcpNetwork(
                  new SharedDriver(),
                  port(() -> rows),
                  required,
                  new ProcNetTcp(Path.of("/proc/self/net"))));
    }
    try (device) {
      Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> accepts(second));
    }
  }

  private static boolean accepts(InetSocketAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(address, 20_000);
      return true;
    } catch (ConnectException e) {
      return false;
    }
  }

  private static DevicePort port(Supplier<List<GidEntry>> rows) {
    return new DevicePort() {
      @Override
      public List<GidEntry> gidTable() {
        return rows.get();
      }

      @Override
      public PortState state() {
        return PortState.ACTIVE;
      }

      @Override
      public int activeMtuBytes() {
        return 1024;
      }
    };
  }
}
