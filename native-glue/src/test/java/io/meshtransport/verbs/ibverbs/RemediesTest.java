// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.ProcessLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Remedies for failed calls, beside {@link ErrnoText}. */
class RemediesTest {
  private static final ProcessLimits LIMITS = new ProcessLimits("65536 bytes", "1024");

  @ParameterizedTest
  @CsvSource({
    "ibv_get_device_list, 38, modprobe ib_uverbs",
    "ibv_open_device, 1, group rdma",
    "ibv_open_device, 13, group rdma",
    "ibv_open_device, 2, uverbsN is missing",
    "ibv_reg_mr, 12, may lock 65536 bytes",
    "ibv_reg_mr_iova2, 12, ulimit -l",
    "ibv_reg_mr, 1, ulimit -l",
    "ibv_reg_mr_iova2, 1, 65536 bytes",
    "ibv_reg_mr, 14, not mapped",
    "ibv_reg_dmabuf_mr, 95, copy through registered memory",
    "ibv_create_qp, 22, request less",
    "ibv_create_cq, 12, may lock 65536 bytes",
    "ibv_modify_qp to RTR, 22, path MTU",
    "ibv_modify_qp to RTR, 110, ip neigh",
    "ibv_alloc_pd, 24, may have 1024 files open",
    "ibv_alloc_pd, 95, cannot do this",
    "ibv_query_qp, 5, dmesg"
  })
  void shouldKnowWhatUsuallyHelps(String call, int errno, String expected) {
    String text = Remedies.of(call, errno, LIMITS);
    assertTrue(text.contains(expected), text);
  }

  @Test
  void shouldSayNothingWhereNothingIsKnown() {
    assertEquals("", Remedies.of("ibv_alloc_pd", 4711, LIMITS));
    assertEquals("errno 4711", ErrnoText.of(4711));
    assertEquals("errno 22 (EINVAL, invalid argument)", ErrnoText.of(22));
  }
}
