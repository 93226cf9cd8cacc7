// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.Test;

class NetdevPortTest {
  private static final NetdevState GONE = new NetdevState(List.of(), PortState.DOWN, 256);

  private NetdevState inKernel = GONE;
  private int queries;

  /** The clock may wrap: only differences count. */
  private long nowNs = Long.MAX_VALUE - NetdevPort.VALID_NS / 2;

  private final NetdevPort port =
      new NetdevPort(
          () -> {
            queries++;
            return inKernel;
          },
          () -> nowNs);

  private static NetdevState up(String address) throws Exception {
    Gid gid = Gid.of(InetAddress.getByName(address));
    return new NetdevState(
        List.of(new GidEntry(gid, 0, GidType.SOFT, "to-b", 7)), PortState.ACTIVE, 4096);
  }

  @Test
  void shouldQueryTheKernelOnceForAllOfASetUp() throws Exception {
    inKernel = up("10.0.0.1");
    for (int i = 0; i < 3; i++) {
      assertEquals(inKernel.gidTable(), port.gidTable());
      assertEquals(PortState.ACTIVE, port.state());
      assertEquals(4096, port.activeMtuBytes());
    }
    nowNs += NetdevPort.VALID_NS - 1;
    port.gidTable();
    assertEquals(1, queries);
  }

  @Test
  void shouldSeeChangesOnceTheReadingIsOld() throws Exception {
    inKernel = up("10.0.0.1");
    port.gidTable();
    inKernel = up("10.0.0.2");
    nowNs += NetdevPort.VALID_NS;
    assertEquals(inKernel.gidTable(), port.gidTable());
    inKernel = GONE;
    nowNs += NetdevPort.VALID_NS;
    assertEquals(PortState.DOWN, port.state());
    assertEquals(List.of(), port.gidTable());
    assertEquals(3, queries);
  }

  @Test
  void shouldReportAMissingNetdevAsDown() {
    assertEquals(GONE, NetdevState.now("nothing0", 1));
  }

  @Test
  void shouldReportAnotherNetdevOfTheSameNameAsGone() throws Exception {
    int index = NetworkInterface.getByName("lo").getIndex();
    assertFalse(NetdevState.now("lo", index).gidTable().isEmpty());
    assertEquals(GONE, NetdevState.now("lo", index + 1));
  }
}
