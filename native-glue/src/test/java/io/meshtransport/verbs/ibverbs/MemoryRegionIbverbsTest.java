// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Registered memory of a real device. */
@NeedsRdmaDevice
class MemoryRegionIbverbsTest {
  private static final int RELAXED = RdmaSide.ALL_ACCESS | Access.RELAXED_ORDERING;

  private VerbsDevice device;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
  }

  @AfterEach
  void close() throws VerbsException {
    device.close();
  }

  @Test
  void shouldRefuseRemoteChangesWithoutLocalOnes() throws VerbsException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    try (ProtectionDomain domain = device.allocateProtectionDomain()) {
      for (int access = 0; access < 16; access++) {
        int asked = access;
        boolean isAllowed =
            (access & Access.LOCAL_WRITE) != 0
                || (access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) == 0;
        if (isAllowed) {
          domain.register(buffer, asked).close();
        } else {
          expectErrno(Errno.EINVAL, () -> domain.register(buffer, asked));
        }
      }
      expectErrno(Errno.EINVAL, () -> domain.register(buffer, 1 << 19));
    }
  }

  @Test
  void shouldMoveReliableTrafficThroughRelaxedMemory() throws Exception {
    try (RdmaSide a = new RdmaSide(device, 0, RELAXED);
        RdmaSide b = new RdmaSide(device, 1, RELAXED)) {
      RdmaEnd from = a.end(QueuePairType.RC);
      RdmaEnd to = b.end(QueuePairType.RC);
      RdmaEnd.connect(from, to);
      for (int round = 1; round <= 10; round++) {
        a.fill(0, 10_000, round);
        to.postReceive(round, 500, 10_000);
        from.begin(round, SendOpcode.SEND).sge(0, 10_000).post();
        b.expectReceived(round, SUCCESS);
        b.expect(500, 10_000, round);
        a.expectSent(round, SUCCESS);
      }
    }
  }

  @Test
  void shouldMoveDatagramsThroughRelaxedMemory() throws Exception {
    try (RdmaSide a = new RdmaSide(device, 0, RELAXED);
        RdmaSide b = new RdmaSide(device, 1, RELAXED)) {
      RdmaEnd from = a.end(QueuePairType.UD);
      RdmaEnd to = b.end(QueuePairType.UD);
      RdmaEnd.connect(from, to);
      AddressHandle way = a.own(a.domain.createAddressHandle(a.to(b), RdmaSide.PORT));
      a.fill(0, 900, 7);
      to.postReceive(3, 100, ReceiveChain.ROUTE_HEADER_BYTES + 900);
      from.begin(4, SendOpcode.SEND).sge(0, 900).to(way, to).post();
      assertEquals(ReceiveChain.ROUTE_HEADER_BYTES + 900, b.received().lengthBytes());
      b.expect(100 + ReceiveChain.ROUTE_HEADER_BYTES, 900, 7);
      a.expectSent(4, SUCCESS);
    }
  }
}
