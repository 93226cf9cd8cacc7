// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A library whose structures hold something else where this one looks.
 *
 * <p>Also tests {@link InlineBindings}.
 */
class LayoutCheckTest {
  private FakeLibrary fake;

  @BeforeEach
  void compileFake() {
    fake = FakeLibrary.get();
  }

  private void expectRefused(String finding, Executable call) {
    VerbsException refusal = assertThrows(VerbsException.class, call);
    assertEquals(Errno.EOPNOTSUPP, refusal.errno());
    String text = refusal.getMessage();
    assertTrue(text.contains(finding), text);
    assertTrue(text.contains("libibverbs-fake.so.9.9"), text);
    assertTrue(text.contains("rdma-core"), text);
  }

  @ParameterizedTest
  @CsvSource({
    "abi_compat, 0, ibv_context.abi_compat",
    "name, 0, ibv_device.name at offset 24 is not fake0",
    "sz, 12345678, verbs_context.sz in front of the context is 12345678",
    "sz, 8, verbs_context.sz in front of the context is 8",
    "sz, 649, verbs_context.sz in front of the context is 649",
    "ops, 0, ibv_context.ops.post_recv is NULL",
    "cmd_fd, 9999, ibv_context.cmd_fd is 9999",
    "cmd_fd, -1, ibv_context.cmd_fd is -1",
    "num_comp_vectors, 0, ibv_context.num_comp_vectors is 0"
  })
  void shouldRefuseAForeignContextAndCloseIt(String field, long value, String finding) {
    fake.control.fake_corrupt(field, value);
    expectRefused(finding, () -> fake.open("fake0"));
    assertEquals(0, fake.control.fake_living());
  }

  @ParameterizedTest
  @CsvSource({
    "pd.context, 0, ibv_pd.context",
    "mr.length, 0, ibv_mr.length",
    "channel.fd, 9999, ibv_comp_channel.fd is 9999",
    "cqe, 63, ibv_cq.cqe is 63 where 64 was asked",
    "qp_num, 0, ibv_qp.qp_num is 0",
    "qp_num, 16777216, ibv_qp.qp_num is 16777216"
  })
  void shouldRefuseAForeignObjectAndDestroyIt(String field, long value, String finding)
      throws VerbsException {
    NativeDevice device = fake.open("fake0");
    fake.control.fake_corrupt(field, value);
    expectRefused(finding, () -> new FakePair(device));
  }

  @ParameterizedTest
  @CsvSource({"gid_type, 9, ibv_gid_entry holds", "gid_count, 1000, found 1000 rows of 32"})
  void shouldRefuseForeignRows(String field, long value, String finding) throws VerbsException {
    try (NativeDevice device = fake.open("fake0")) {
      fake.control.fake_corrupt(field, value);
      expectRefused(finding, () -> device.gidTable(1));
    }
  }

  @Test
  void shouldGiveBackWhatItRefuses() throws VerbsException {
    try (NativeDevice device = fake.open("fake0")) {
      fake.control.fake_corrupt("cqe", 3);
      expectRefused("ibv_cq.cqe", () -> device.createCompletionQueue(64));
      assertEquals(1, fake.control.fake_living());
    }
  }
}
