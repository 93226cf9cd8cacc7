// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.LOC_LEN_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.ReceiveChain.ROUTE_HEADER_BYTES;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.ibverbs.RdmaSide.Done;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Datagrams between queue pairs of a real device. */
@NeedsRdmaDevice
class DatagramIbverbsTest {
  private static final int PLACE = 4096;
  private static final int IPV4_HEADER_OFFSET = 20;

  private VerbsDevice device;
  private RdmaSide a;
  private RdmaSide b;
  private RdmaEnd from;
  private RdmaEnd to;
  private AddressHandle way;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
    a = new RdmaSide(device);
    b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS);
    from = a.end(QueuePairType.UD);
    to = b.end(QueuePairType.UD);
    RdmaEnd.connect(from, to);
    way = a.own(a.domain.createAddressHandle(a.to(b), RdmaSide.PORT));
  }

  @AfterEach
  void close() throws Exception {
    a.close();
    b.close();
    device.close();
  }

  private void post(long id, int lengthBytes) {
    from.begin(id, SendOpcode.SEND).sge(0, lengthBytes).to(way, to).post();
  }

  @Test
  void shouldDeliverAfterTheRouteHeader() throws VerbsException {
    a.fill(0, 100, 1);
    to.postReceive(7, PLACE, ROUTE_HEADER_BYTES + 500);
    post(8, 100);
    assertEquals(
        new Done(
            7,
            SUCCESS,
            CompletionOpcode.RECEIVE,
            ROUTE_HEADER_BYTES + 100,
            "none",
            to.queuePair.number(),
            from.queuePair.number(),
            true),
        b.received());
    b.expect(PLACE + ROUTE_HEADER_BYTES, 100, 1);
    a.expectSent(8, SUCCESS);
    // RoCE v2 over IPv4 leaves the IP header in the last 20 bytes: source and destination end it.
    byte[] addresses = new byte[8];
    b.memory.get(PLACE + IPV4_HEADER_OFFSET + 12, addresses);
    assertArrayEquals(a.gid.gid().toAddress().getAddress(), Arrays.copyOf(addresses, 4));
    assertArrayEquals(b.gid.gid().toAddress().getAddress(), Arrays.copyOfRange(addresses, 4, 8));
  }

  @Test
  void shouldDeliverImmediateData() {
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 10);
    from.begin(2, SendOpcode.SEND_WITH_IMM).immediate(0xCAFEBABE).sge(0, 10).to(way, to).post();
    Done received = b.received();
    assertEquals(Integer.toString(0xCAFEBABE), received.immediate());
    assertEquals(ROUTE_HEADER_BYTES + 10, received.lengthBytes());
  }

  @Test
  void shouldDeliverNoBytes() {
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES);
    from.begin(2, SendOpcode.SEND).to(way, to).post();
    assertEquals(ROUTE_HEADER_BYTES, b.received().lengthBytes());
    a.expectSent(2, SUCCESS);
  }

  @Test
  void shouldDeliverWhateverFitsAPacket() throws VerbsException {
    int most = device.queryPort(RdmaSide.PORT).activeMtuBytes();
    for (int lengthBytes : new int[] {1, 3, 4, 5, 255, 256, most - 1, most}) {
      a.fill(0, lengthBytes, lengthBytes);
      to.postReceive(lengthBytes, PLACE, ROUTE_HEADER_BYTES + most);
      post(lengthBytes, lengthBytes);
      Done received = b.received();
      assertEquals(lengthBytes, received.id());
      assertEquals(ROUTE_HEADER_BYTES + lengthBytes, received.lengthBytes());
      b.expect(PLACE + ROUTE_HEADER_BYTES, lengthBytes, lengthBytes);
      a.expectSent(lengthBytes, SUCCESS);
    }
  }

  /** Whether it is refused, fails or only gets lost is the device's choice. */
  @Test
  void shouldNotDeliverMoreThanAPacket() throws VerbsException {
    int most = device.queryPort(RdmaSide.PORT).activeMtuBytes();
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 2 * most);
    from.begin(2, SendOpcode.SEND).sge(0, most + 1).to(way, to);
    int errno = from.queuePair.postSend(from.chain);
    if (errno == 0) {
      assertTrue(Set.of(SUCCESS, LOC_LEN_ERR).contains(a.sent().status()));
    } else {
      assertEquals(Errno.EINVAL, errno);
    }
    RdmaEnd next = a.end(QueuePairType.UD).toInit();
    next.toReadyToReceive(to).toReadyToSend();
    next.begin(3, SendOpcode.SEND).sge(0, most).to(way, to).post();
    assertEquals(ROUTE_HEADER_BYTES + most, b.received().lengthBytes());
  }

  @Test
  void shouldReachSeveralPeersInOneChain() throws VerbsException {
    RdmaEnd other = b.end(QueuePairType.UD).toInit();
    other.toReadyToReceive(from).toReadyToSend();
    RdmaEnd[] peers = {to, other, to, other};
    a.fill(0, 64, 5);
    from.chain.clear();
    for (int i = 0; i < peers.length; i++) {
      peers[i].postReceive(i, PLACE * (i + 1L), ROUTE_HEADER_BYTES + 64);
      from.chain.begin(i, SendOpcode.SEND, SendFlags.SIGNALED);
      from.sge(0, 16 * (i + 1)).to(way, peers[i]);
    }
    from.post();
    for (int i = 0; i < peers.length; i++) {
      a.expectSent(i, SUCCESS);
      Done received = b.received();
      assertEquals(i, received.id());
      assertEquals(peers[i].queuePair.number(), received.queuePair());
      b.expect(PLACE * (i + 1) + ROUTE_HEADER_BYTES, 16 * (i + 1), 5);
    }
  }

  @Test
  void shouldCopyInlinePayloadDuringThePost() {
    a.fill(0, 64, 2);
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 64);
    from.begin(2, SendOpcode.SEND, SendFlags.INLINE | SendFlags.SIGNALED);
    from.sge(0, 64).to(way, to).post();
    a.fill(0, 64, 3);
    b.expectReceived(1, SUCCESS);
    b.expect(PLACE + ROUTE_HEADER_BYTES, 64, 2);
  }

  @Test
  void shouldDropWhatNamesAnotherQueueKey() {
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 8);
    from.begin(2, SendOpcode.SEND).sge(0, 8);
    from.chain.destination(way, to.queuePair.number(), RdmaSide.QUEUE_KEY + 1);
    from.post();
    a.expectSent(2, SUCCESS);
    // What comes after it takes the receive: the first was dropped.
    from.begin(3, SendOpcode.SEND_WITH_IMM).immediate(3).sge(0, 8).to(way, to).post();
    assertEquals("3", b.received().immediate());
  }

  @Test
  void shouldDropWhatFindsNoReceive() {
    post(1, 8);
    a.expectSent(1, SUCCESS);
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 8);
    from.begin(3, SendOpcode.SEND_WITH_IMM).immediate(3).sge(0, 8).to(way, to).post();
    assertEquals("3", b.received().immediate());
  }

  @Test
  void shouldRefuseRequestsThatNeedAConnection() {
    for (SendOpcode opcode :
        new SendOpcode[] {
          SendOpcode.RDMA_WRITE,
          SendOpcode.RDMA_WRITE_WITH_IMM,
          SendOpcode.RDMA_READ,
          SendOpcode.ATOMIC_FETCH_AND_ADD,
          SendOpcode.ATOMIC_COMPARE_AND_SWAP
        }) {
      from.begin(1, opcode).sge(0, 8).to(way, to);
      assertEquals(Errno.EINVAL, from.queuePair.postSend(from.chain), opcode + "");
    }
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 8);
    post(2, 8);
    a.expectSent(2, SUCCESS);
  }

  @Test
  void shouldRefuseARequestWithoutDestination() {
    from.begin(1, SendOpcode.SEND).sge(0, 8);
    assertEquals(Errno.EINVAL, from.queuePair.postSend(from.chain));
    assertEquals(0, from.chain.refusedIndex());
  }

  @Test
  void shouldRefuseAddressHandlesAndMemoryThatAreNotItsOwn() throws VerbsException {
    AddressHandle foreign = b.own(b.domain.createAddressHandle(b.to(b), RdmaSide.PORT));
    from.begin(1, SendOpcode.SEND).sge(0, 8).to(way, to).to(foreign, to);
    assertEquals(Errno.EINVAL, from.queuePair.postSend(from.chain), "way of another domain");
    from.begin(1, SendOpcode.SEND).sge(0, 8).to(way, to).remote(b, 0);
    assertEquals(Errno.EINVAL, from.queuePair.postSend(from.chain), "memory of the peer");
    from.begin(1, SendOpcode.SEND).sge(0, 8).to(null, to);
    assertEquals(Errno.EINVAL, from.queuePair.postSend(from.chain), "no way");
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 8);
    post(2, 8);
    a.expectSent(2, SUCCESS);
    b.expectReceived(1, SUCCESS);
  }

  @Test
  void shouldPostWhatComesBeforeARefusedRequest() {
    to.postReceive(1, PLACE, ROUTE_HEADER_BYTES + 8);
    from.begin(2, SendOpcode.SEND).sge(0, 8).to(way, to);
    from.chain.begin(3, SendOpcode.SEND, SendFlags.SIGNALED);
    from.sge(0, 8);
    assertEquals(Errno.EINVAL, from.queuePair.postSend(from.chain));
    assertEquals(1, from.chain.refusedIndex());
    a.expectSent(2, SUCCESS);
    b.expectReceived(1, SUCCESS);
  }

  @Test
  void shouldKeepDatagramsOfManyRoundsApart() {
    for (int round = 0; round < 100; round++) {
      a.fill(0, 200, round);
      to.postReceive(round, PLACE, ROUTE_HEADER_BYTES + 200);
      post(round, 200);
      b.expectReceived(round, SUCCESS);
      a.expectSent(round, SUCCESS);
      b.expect(PLACE + ROUTE_HEADER_BYTES, 200, round);
    }
    assertTrue(b.poll(b.receives, 1).isEmpty());
  }
}
