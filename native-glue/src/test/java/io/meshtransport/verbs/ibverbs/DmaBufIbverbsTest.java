// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Memory of other devices. What a device that can does with it is compared byte by byte; one that
 * cannot, such as Soft-RoCE of kernel 6.1, must say so in words.
 */
@NeedsRdmaDevice
class DmaBufIbverbsTest {
  private static final int BYTES = 64 << 10;
  private static final long IOVA = 0x7000_0000_0000L;

  private VerbsDevice device;
  private RdmaSide a;
  private RdmaSide b;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
    a = new RdmaSide(device);
    b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS);
  }

  @AfterEach
  void close() throws VerbsException {
    a.close();
    b.close();
    device.close();
  }

  @Test
  void shouldRefuseWhatIsNoDmaBufWithASentence() {
    expectErrno(Errno.EBADF, () -> a.domain.registerDmaBuf(-1, 0, BYTES, IOVA, 0));
    expectErrno(Errno.EINVAL, () -> a.domain.registerDmaBuf(0, -1, BYTES, IOVA, 0));
    expectErrno(Errno.EINVAL, () -> a.domain.registerDmaBuf(0, 0, 0, IOVA, 0));
    expectErrno(
        Errno.EINVAL, () -> a.domain.registerDmaBuf(0, 0, BYTES, IOVA, Access.REMOTE_WRITE));
    // Standard input is none.
    VerbsException refusal =
        assertThrows(VerbsException.class, () -> a.domain.registerDmaBuf(0, 0, BYTES, IOVA, 0));
    assertTrue(
        Set.of(Errno.EOPNOTSUPP, Errno.EINVAL, Errno.EBADF).contains(refusal.errno()),
        refusal.getMessage());
    assertTrue(refusal.getMessage().contains("ibv_reg_dmabuf_mr"), refusal.getMessage());
  }

  @Test
  void shouldWriteAndReadADmaBufOrSayWhatToDoInstead() throws VerbsException {
    try (DumbBuffer buffer = new DumbBuffer(BYTES)) {
      MemoryRegion region;
      try {
        region =
            b.domain.registerDmaBuf(
                buffer.fileDescriptor, 0, buffer.lengthBytes, IOVA, RdmaSide.ALL_ACCESS);
      } catch (VerbsException refusal) {
        assertEquals(Errno.EOPNOTSUPP, refusal.errno(), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("copy through"), refusal.getMessage());
        abort(refusal.getMessage());
        return;
      }
      b.own(region);
      expectWrittenAndRead(buffer, region);
    }
  }

  private void expectWrittenAndRead(DumbBuffer buffer, MemoryRegion region) throws VerbsException {
    RdmaEnd from = a.end(QueuePairType.RC);
    RdmaEnd.connect(from, b.end(QueuePairType.RC));
    assertEquals(IOVA, region.address());
    assertEquals(buffer.lengthBytes, region.lengthBytes());
    a.fill(0, 10_000, 1);
    from.begin(1, SendOpcode.RDMA_WRITE).sge(0, 10_000);
    from.chain.remote(IOVA + 77, region.remoteKey());
    from.post();
    a.expectSent(1, SUCCESS);
    for (int i = 0; i < 10_000; i++) {
      assertEquals(Endpoint.pattern(i, 1), buffer.bytes().get(77 + i), "byte " + i);
    }
    from.begin(2, SendOpcode.RDMA_READ).sge(20_000, 10_000);
    from.chain.remote(IOVA + 77, region.remoteKey());
    from.post();
    a.expectSent(2, SUCCESS);
    a.expect(20_000, 10_000, 1);
  }
}
