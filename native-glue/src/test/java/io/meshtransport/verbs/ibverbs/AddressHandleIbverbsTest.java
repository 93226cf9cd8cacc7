// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Address handles of a real device. */
@NeedsRdmaDevice
class AddressHandleIbverbsTest {
  private VerbsDevice device;
  private RdmaSide side;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
    side = new RdmaSide(device);
  }

  @AfterEach
  void close() throws Exception {
    side.close();
    device.close();
  }

  @Test
  void shouldReportItsDestination() throws VerbsException {
    PeerAddress peer = side.to(side);
    try (AddressHandle way = side.domain.createAddressHandle(peer, RdmaSide.PORT)) {
      assertEquals(peer, way.peer());
      assertEquals(RdmaSide.PORT, way.port());
    }
  }

  @Test
  void shouldCloseTwiceWithoutHarm() throws VerbsException {
    AddressHandle way = side.domain.createAddressHandle(side.to(side), RdmaSide.PORT);
    way.close();
    way.close();
  }

  @Test
  void shouldRefuseAPortThatIsNotThere() {
    for (int port : new int[] {0, 9, 256 + RdmaSide.PORT, -1}) {
      expectErrno(Errno.EINVAL, () -> side.domain.createAddressHandle(side.to(side), port));
    }
  }

  /** RoCE has no address without a global route (InfiniBand 1.4 Annex A16.5). */
  @Test
  void shouldRefuseAPeerWithoutARoute() {
    PeerAddress fromEmptyRow = new PeerAddress(side.gid.gid(), 0, 255, 64, 0, 0);
    VerbsException refusal =
        expectErrno(
            Errno.ENODATA, () -> side.domain.createAddressHandle(fromEmptyRow, RdmaSide.PORT));
    assertTrue(refusal.getMessage().contains("row 255"), refusal.getMessage());
    expectErrno(
        Errno.EINVAL, () -> side.domain.createAddressHandle(side.to(Gid.ZERO), RdmaSide.PORT));
  }

  @Test
  void shouldRefuseUseAfterClose() throws VerbsException {
    RdmaEnd end = side.end(QueuePairType.UD).toInit();
    end.toReadyToReceive(end).toReadyToSend();
    AddressHandle way = side.domain.createAddressHandle(side.to(side), RdmaSide.PORT);
    way.close();
    end.begin(1, SendOpcode.SEND).sge(0, 8).to(way, end);
    assertEquals(Errno.EINVAL, end.queuePair.postSend(end.chain));
  }
}
