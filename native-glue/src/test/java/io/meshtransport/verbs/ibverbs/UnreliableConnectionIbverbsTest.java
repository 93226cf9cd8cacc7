// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.ibverbs.RdmaSide.Done;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Unreliable connections between queue pairs of a real device. */
@NeedsRdmaDevice
class UnreliableConnectionIbverbsTest {
  private static final int PLACE = 1 << 19;

  private VerbsDevice device;
  private RdmaSide a;
  private RdmaSide b;
  private RdmaEnd from;
  private RdmaEnd to;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
    a = new RdmaSide(device);
    b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS);
    from = a.end(QueuePairType.UC);
    to = b.end(QueuePairType.UC);
    RdmaEnd.connect(from, to);
  }

  @AfterEach
  void close() throws Exception {
    a.close();
    b.close();
    device.close();
  }

  @Test
  void shouldDeliverMessagesOfOnePacketAndOfMany() {
    int mtu = RdmaEnd.MTU_BYTES;
    for (int lengthBytes : new int[] {0, 1, mtu - 1, mtu, mtu + 1, 3 * mtu, 50_001}) {
      a.fill(0, lengthBytes, lengthBytes);
      to.postReceive(lengthBytes, PLACE, 100_000);
      from.begin(lengthBytes, SendOpcode.SEND).sge(0, lengthBytes).post();
      Done received = b.received();
      assertEquals(lengthBytes, received.id());
      assertEquals(SUCCESS, received.status());
      assertEquals(lengthBytes, received.lengthBytes());
      b.expect(PLACE, lengthBytes, lengthBytes);
      a.expectSent(lengthBytes, SUCCESS);
    }
  }

  @Test
  void shouldDeliverImmediateData() {
    to.postReceive(1, PLACE, 4096);
    from.begin(2, SendOpcode.SEND_WITH_IMM).immediate(-2).sge(0, 3000).post();
    Done received = b.received();
    assertEquals("-2", received.immediate());
    assertEquals(3000, received.lengthBytes());
    assertEquals(CompletionOpcode.RECEIVE, received.opcode());
  }

  @Test
  void shouldWriteAndNotify() {
    a.fill(0, 40_000, 4);
    to.postReceive(1, 0, 0);
    from.begin(2, SendOpcode.RDMA_WRITE).sge(0, 20_000).remote(b, PLACE).post();
    from.begin(3, SendOpcode.RDMA_WRITE_WITH_IMM).immediate(9);
    from.sge(20_000, 20_000).remote(b, PLACE + 20_000).post();
    Done received = b.received();
    assertEquals(CompletionOpcode.RECEIVE_RDMA_WITH_IMM, received.opcode());
    assertEquals("9", received.immediate());
    assertEquals(20_000, received.lengthBytes());
    b.expect(PLACE, 40_000, 4);
    a.expectSent(2, SUCCESS);
    a.expectSent(3, SUCCESS);
  }

  @Test
  void shouldDropWhatFindsNoReceive() {
    from.begin(1, SendOpcode.SEND).sge(0, 8).post();
    a.expectSent(1, SUCCESS);
    to.postReceive(2, PLACE, 8);
    from.begin(3, SendOpcode.SEND_WITH_IMM).immediate(3).sge(0, 8).post();
    assertEquals("3", b.received().immediate());
  }

  @Test
  void shouldRefuseReadsAndAtomics() {
    for (SendOpcode opcode :
        new SendOpcode[] {
          SendOpcode.RDMA_READ, SendOpcode.ATOMIC_FETCH_AND_ADD, SendOpcode.ATOMIC_COMPARE_AND_SWAP
        }) {
      from.begin(1, opcode).sge(0, 8).remote(b, 0);
      assertEquals(Errno.EINVAL, from.queuePair.postSend(from.chain), opcode + "");
    }
    from.begin(2, SendOpcode.RDMA_WRITE).sge(0, 8).remote(b, PLACE).post();
    a.expectSent(2, SUCCESS);
  }
}
