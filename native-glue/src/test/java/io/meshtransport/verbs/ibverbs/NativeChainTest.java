// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.jna.Pointer;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The bytes of work requests, byte for byte as struct ibv_send_wr, ibv_recv_wr and ibv_sge of
 * rdma-core's verbs.h lie on x86-64 and aarch64. Needs JNA, but no libibverbs.
 */
class NativeChainTest {
  private static final QueuePairCapabilities SIZES = new QueuePairCapabilities(8, 8, 2, 2, 16);

  /** Takes requests like a driver: follows the list and keeps what it points to. */
  private static final class Driver implements InlineVerbs {
    private final List<String> requests = new ArrayList<>();
    private final List<String> entries = new ArrayList<>();
    private int refuseAt = -1;

    @Override
    public int post_send(long queuePair, long first, long refused) {
      return take(first, Layout.SendWr.BYTES, refused);
    }

    @Override
    public int post_recv(long queuePair, long first, long refused) {
      return take(first, Layout.RecvWr.BYTES, refused);
    }

    private int take(long first, int bytes, long refused) {
      for (long request = first; request != 0; request = new Pointer(request).getLong(8)) {
        if (requests.size() == refuseAt) {
          new Pointer(refused).setLong(0, request);
          return Errno.ENOMEM;
        }
        Pointer fields = new Pointer(request);
        byte[] copy = fields.getByteArray(0, bytes);
        // The addresses of the next request and of the entries are of this run only.
        Arrays.fill(copy, 8, 24, (byte) 0);
        requests.add(HexFormat.of().formatHex(copy));
        Pointer list = new Pointer(fields.getLong(16));
        for (int i = 0; i < fields.getInt(24); i++) {
          entries.add(HexFormat.of().formatHex(list.getByteArray(i * 16L, 16)));
        }
      }
      return 0;
    }

    @Override
    public int post_srq_recv(long sharedQueue, long first, long refused) {
      return Errno.EOPNOTSUPP;
    }

    @Override
    public int poll_cq(long queue, int most, long completions) {
      return 0;
    }

    @Override
    public int req_notify_cq(long queue, int solicitedOnly) {
      return 0;
    }
  }

  private final Driver driver = new Driver();
  private final NativeSendChain chain = new NativeSendChain(4, SIZES, QueuePairType.RC, null);

  private void expectRequests(String... expected) {
    assertEquals(0, chain.post(driver, 1));
    assertEquals(expected.length, driver.requests.size());
    for (int i = 0; i < expected.length; i++) {
      String padded = expected[i].replaceAll("\\s", "");
      assertEquals(
          padded + "0".repeat(2 * Layout.SendWr.BYTES - padded.length()), driver.requests.get(i));
    }
  }

  @Test
  void shouldWriteAWriteWithImmediate() {
    chain.begin(0x1122334455667788L, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED);
    chain.sge(0x7F0011223344L, 0x01020304, 0x0A0B0C0D);
    chain.sge(0x10, 5, 6);
    chain.remote(0xFFFF800000000010L, 0xCAFEBABE);
    chain.immediate(0x01020304);
    expectRequests(
        """
        8877665544332211 0000000000000000 0000000000000000 02000000 01000000
        02000000 01020304 100000000080ffff bebafeca
        """);
    assertEquals(
        List.of(
            "4433221100" + "7f0000" + "040302010d0c0b0a", "1000000000000000" + "0500000006000000"),
        driver.entries);
  }

  @Test
  void shouldWriteAtomics() {
    chain.begin(1, SendOpcode.ATOMIC_COMPARE_AND_SWAP, SendFlags.SIGNALED | SendFlags.FENCE);
    chain.remote(0x1000, 0x11223344);
    chain.atomic(0xA1, 0xB2);
    chain.begin(2, SendOpcode.ATOMIC_FETCH_AND_ADD, 0);
    chain.atomic(0xC3, 0);
    chain.remote(0x2000, 0x55667788);
    expectRequests(
        """
        0100000000000000 0000000000000000 0000000000000000 00000000 05000000
        03000000 00000000 0010000000000000 a100000000000000 b200000000000000 44332211
        """,
        """
        0200000000000000 0000000000000000 0000000000000000 00000000 06000000
        00000000 00000000 0020000000000000 c300000000000000 0000000000000000 88776655
        """);
  }

  @Test
  void shouldClearASlotsFormerContent() {
    chain.begin(1, SendOpcode.ATOMIC_COMPARE_AND_SWAP, SendFlags.SIGNALED);
    chain.remote(0x1000, 0x11223344);
    chain.atomic(-1, -1);
    chain.immediate(-1);
    chain.sge(1, 2, 3);
    chain.clear();
    chain.begin(2, SendOpcode.RDMA_READ, 0);
    expectRequests(
        """
        0200000000000000 0000000000000000 0000000000000000 00000000 04000000
        """);
    assertEquals(List.of(), driver.entries);
  }

  @Test
  void shouldEndTheListAfterTheLastRequest() {
    for (int round = 0; round < 3; round++) {
      chain.clear();
      driver.requests.clear();
      for (int i = 0; i <= 2 - round; i++) {
        chain.begin(i, SendOpcode.SEND, 0);
      }
      assertEquals(0, chain.post(driver, 1));
      assertEquals(3 - round, driver.requests.size());
      assertEquals(3 - round, chain.size());
      assertEquals(3 - round, chain.refusedIndex());
    }
  }

  @Test
  void shouldPostNothingWhenEmpty() {
    driver.refuseAt = 0;
    assertEquals(0, chain.post(driver, 1));
    assertEquals(List.of(), driver.requests);
  }

  @Test
  void shouldTranslateTheRefusedRequestToItsPosition() {
    for (int i = 0; i < 4; i++) {
      chain.begin(i, SendOpcode.SEND, 0);
    }
    driver.refuseAt = 2;
    assertEquals(Errno.ENOMEM, chain.post(driver, 1));
    assertEquals(2, chain.refusedIndex());
  }

  @Test
  void shouldWriteReceives() {
    NativeReceiveChain receives = new NativeReceiveChain(3, 2);
    receives.begin(0x0102030405060708L);
    receives.sge(0x1000, 0x10, 0x20);
    receives.begin(2);
    assertEquals(0, receives.post(driver, 1));
    assertEquals(
        List.of(
            "0807060504030201" + "00000000000000000000000000000000" + "0100000000000000",
            "0200000000000000" + "00000000000000000000000000000000" + "0000000000000000"),
        driver.requests);
    assertEquals(List.of("0010000000000000" + "1000000020000000"), driver.entries);
    receives.begin(3);
    driver.requests.clear();
    driver.refuseAt = 1;
    assertEquals(Errno.ENOMEM, receives.post(driver, 1));
    assertEquals(1, receives.refusedIndex());
    assertThrows(IllegalStateException.class, () -> receives.begin(4));
    assertEquals(3, receives.capacity());
  }

  @Test
  void shouldRefuseToDescribeWhatWasNotBegun() {
    assertThrows(IllegalStateException.class, () -> chain.sge(0, 0, 0));
    assertThrows(IllegalStateException.class, () -> chain.remote(0, 0));
    assertThrows(IllegalStateException.class, () -> chain.immediate(0));
    assertThrows(IllegalStateException.class, () -> chain.atomic(0, 0));
    assertThrows(IllegalStateException.class, () -> new NativeReceiveChain(1, 1).sge(0, 0, 0));
    assertEquals(0, chain.size());
    assertArrayEquals(new int[] {4, 0}, new int[] {chain.capacity(), chain.refusedIndex()});
  }
}
