// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.ProcessLimits;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each call of the library, failing.
 *
 * <p>Also tests {@link NativeFailure}.
 */
class CallFailureTest {
  private static final int EACCES = 13;
  private static final int EMFILE = 24;

  /** What leads to a call, on things that are there. */
  private interface Way {
    void go(FakePair pair) throws VerbsException;
  }

  private static final Map<String, Way> WAYS =
      Map.ofEntries(
          Map.entry("ibv_query_device", pair -> pair.device.query()),
          Map.entry("ibv_query_port", pair -> pair.device.queryPort(1)),
          Map.entry("_ibv_query_gid_table", pair -> pair.device.gidTable(1)),
          Map.entry("ibv_get_async_event", pair -> pair.device.pollAsyncEvent()),
          Map.entry("ibv_alloc_pd", pair -> pair.device.allocateProtectionDomain()),
          Map.entry("ibv_create_comp_channel", pair -> pair.device.createCompletionChannel()),
          Map.entry("ibv_create_cq", pair -> pair.device.createCompletionQueue(8)),
          Map.entry("ibv_get_cq_event", pair -> pair.channel.await(0)),
          Map.entry("ibv_reg_mr", pair -> pair.domain.register(memory(), 0)),
          Map.entry(
              "ibv_reg_mr_iova2", pair -> pair.domain.registerAt(0x10000, List.of(pages()), 0)),
          Map.entry(
              "ibv_create_qp",
              pair -> pair.domain.createQueuePair(FakePair.SIZES, pair.sends, pair.receives)),
          Map.entry("ibv_modify_qp", pair -> pair.queuePair.toReset()),
          Map.entry("ibv_query_qp", pair -> pair.queuePair.state()),
          Map.entry("ibv_destroy_qp", pair -> pair.queuePair.close()),
          Map.entry("ibv_dereg_mr", pair -> pair.region.close()));

  private FakeLibrary fake;

  @BeforeEach
  void compileFake() {
    fake = FakeLibrary.get();
  }

  private static ByteBuffer memory() {
    return ByteBuffer.allocateDirect(64);
  }

  private static ByteBuffer pages() {
    return ByteBuffer.allocateDirect(8192).alignedSlice(4096);
  }

  @Test
  void shouldSayWhichCallFailedHow() throws VerbsException {
    for (Map.Entry<String, Way> way : WAYS.entrySet()) {
      String call = way.getKey();
      try (FakePair pair = new FakePair(fake.open("fake0"))) {
        int living = fake.control.fake_living();
        fake.control.fake_fail(call, Errno.EIO, 1);
        VerbsException failure =
            assertThrows(VerbsException.class, () -> way.getValue().go(pair), call);
        assertEquals(Errno.EIO, failure.errno(), call);
        String text = failure.getMessage();
        assertTrue(text.contains(call.replaceFirst("^_", "")), text);
        assertTrue(text.contains("fake0"), text);
        assertTrue(text.contains("errno 5 (EIO, input or output error)"), text);
        assertTrue(text.contains("dmesg"), text);
        assertEquals(living, fake.control.fake_living(), call);
        // What failed to be destroyed still lives, and a second try destroys it.
      }
      assertEquals(0, fake.control.fake_living(), call);
    }
  }

  @Test
  void shouldNameTheAddressOfChoiceThatFails() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      fake.control.fake_fail("ibv_reg_mr_iova2", Errno.EINVAL, 1);
      VerbsException failure =
          assertThrows(
              VerbsException.class, () -> pair.domain.registerAt(0x10000, List.of(pages()), 0));
      assertTrue(failure.getMessage().contains("place within a page"), failure.getMessage());
    }
  }

  @Test
  void shouldRefuseAnAddressOfChoiceElsewhereInThePage() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      VerbsException failure =
          assertThrows(
              VerbsException.class, () -> pair.domain.registerAt(0x10008, List.of(pages()), 0));
      assertEquals(Errno.EINVAL, failure.errno());
      assertTrue(failure.getMessage().contains("0x10008"), failure.getMessage());
      assertTrue(failure.getMessage().contains("alignedSlice"), failure.getMessage());
      try (MemoryRegion region = pair.domain.registerAt(0x10000, List.of(pages()), 0)) {
        assertEquals(0x10000, region.address());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"ibv_open_device", "ibv_get_device_list"})
  void shouldSayWhyADeviceDoesNotOpen(String call) {
    fake.control.fake_fail(call, EMFILE, 1);
    VerbsException failure = assertThrows(VerbsException.class, () -> fake.open("fake0"));
    assertTrue(failure.getMessage().startsWith(call), failure.getMessage());
    assertTrue(failure.getMessage().contains("ulimit -n"), failure.getMessage());
    assertEquals(0, fake.control.fake_living());
  }

  @Test
  void shouldExplainAMissingPermission() {
    fake.control.fake_fail("ibv_open_device", EACCES, 1);
    VerbsException failure = assertThrows(VerbsException.class, () -> fake.open("fake0"));
    assertEquals(EACCES, failure.errno());
    assertTrue(failure.getMessage().contains("group rdma"), failure.getMessage());
  }

  @Test
  void shouldExplainLockedMemory() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      fake.control.fake_fail("ibv_reg_mr", Errno.ENOMEM, 1);
      VerbsException failure =
          assertThrows(VerbsException.class, () -> pair.domain.register(memory(), 0));
      String text = failure.getMessage();
      assertTrue(text.contains("64 bytes"), text);
      assertTrue(text.contains(ProcessLimits.ofThisProcess().lockedMemory()), text);
      assertTrue(text.contains("ulimit -l"), text);
    }
  }

  @Test
  void shouldAnswerABrokenPollWithANegativeNumber() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      fake.control.fake_fail("poll_cq", Errno.EIO, 1);
      assertEquals(-Errno.EIO, pair.sends.poll(pair.sends.newCompletions(1)));
      assertEquals(0, pair.sends.poll(pair.sends.newCompletions(1)));
      fake.control.fake_fail("req_notify_cq", Errno.EIO, 1);
      assertEquals(Errno.EIO, pair.sends.requestNotify(false));
    }
  }
}
