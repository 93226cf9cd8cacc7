// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link Layout} against this host's own verbs.h, where it is installed with a compiler. */
class HeaderLayoutTest {
  private static final Path HEADER = Path.of("/usr/include/infiniband/verbs.h");

  /** Offsets and sizes as C expressions, with this library's values. */
  private static Map<String, Integer> beliefs() throws VerbsException {
    Map<String, Integer> beliefs = new TreeMap<>();
    offset(beliefs, "ibv_device", "name", Layout.Device.NAME);
    offset(beliefs, "ibv_context", "device", Layout.Context.DEVICE);
    offset(beliefs, "ibv_context", "ops.poll_cq", Layout.Context.OPS_POLL_CQ);
    offset(beliefs, "ibv_context", "ops.req_notify_cq", Layout.Context.OPS_REQ_NOTIFY_CQ);
    offset(beliefs, "ibv_context", "ops.post_srq_recv", Layout.Context.OPS_POST_SRQ_RECV);
    offset(beliefs, "ibv_context", "ops.post_send", Layout.Context.OPS_POST_SEND);
    offset(beliefs, "ibv_context", "ops.post_recv", Layout.Context.OPS_POST_RECV);
    offset(beliefs, "ibv_context", "cmd_fd", Layout.Context.CMD_FD);
    offset(beliefs, "ibv_context", "async_fd", Layout.Context.ASYNC_FD);
    offset(beliefs, "ibv_context", "num_comp_vectors", Layout.Context.NUM_COMP_VECTORS);
    offset(beliefs, "ibv_context", "mutex", Layout.Context.MUTEX);
    offset(beliefs, "ibv_context", "abi_compat", HostAbi.ofThisHost().abiCompat());
    beliefs.put(
        "(int) offsetof(struct verbs_context, sz) - (int) offsetof(struct verbs_context, context)",
        Layout.Context.VERBS_CONTEXT_SIZE);
    offset(beliefs, "ibv_device_attr", "fw_ver", Layout.DeviceAttr.FW_VER);
    offset(beliefs, "ibv_device_attr", "max_mr_size", Layout.DeviceAttr.MAX_MR_SIZE);
    offset(beliefs, "ibv_device_attr", "max_qp", Layout.DeviceAttr.MAX_QP);
    offset(beliefs, "ibv_device_attr", "max_qp_wr", Layout.DeviceAttr.MAX_QP_WR);
    offset(beliefs, "ibv_device_attr", "max_sge", Layout.DeviceAttr.MAX_SGE);
    offset(beliefs, "ibv_device_attr", "max_cqe", Layout.DeviceAttr.MAX_CQE);
    offset(beliefs, "ibv_device_attr", "max_mr", Layout.DeviceAttr.MAX_MR);
    offset(beliefs, "ibv_device_attr", "max_qp_rd_atom", Layout.DeviceAttr.MAX_QP_RD_ATOM);
    offset(
        beliefs, "ibv_device_attr", "max_qp_init_rd_atom", Layout.DeviceAttr.MAX_QP_INIT_RD_ATOM);
    offset(beliefs, "ibv_device_attr", "phys_port_cnt", Layout.DeviceAttr.PHYS_PORT_CNT);
    offset(beliefs, "ibv_port_attr", "state", Layout.PortAttr.STATE);
    offset(beliefs, "ibv_port_attr", "max_mtu", Layout.PortAttr.MAX_MTU);
    offset(beliefs, "ibv_port_attr", "active_mtu", Layout.PortAttr.ACTIVE_MTU);
    offset(beliefs, "ibv_port_attr", "gid_tbl_len", Layout.PortAttr.GID_TBL_LEN);
    offset(beliefs, "ibv_port_attr", "max_msg_sz", Layout.PortAttr.MAX_MSG_SZ);
    size(beliefs, "ibv_gid_entry", Layout.GidEntryRow.BYTES);
    offset(beliefs, "ibv_gid_entry", "gid", Layout.GidEntryRow.GID);
    offset(beliefs, "ibv_gid_entry", "gid_index", Layout.GidEntryRow.GID_INDEX);
    offset(beliefs, "ibv_gid_entry", "port_num", Layout.GidEntryRow.PORT_NUM);
    offset(beliefs, "ibv_gid_entry", "gid_type", Layout.GidEntryRow.GID_TYPE);
    offset(beliefs, "ibv_gid_entry", "ndev_ifindex", Layout.GidEntryRow.NDEV_IFINDEX);
    objects(beliefs);
    attributes(beliefs);
    requests(beliefs);
    return beliefs;
  }

  private static void objects(Map<String, Integer> beliefs) {
    offset(beliefs, "ibv_pd", "context", Layout.Pd.CONTEXT);
    offset(beliefs, "ibv_mr", "context", Layout.Mr.CONTEXT);
    offset(beliefs, "ibv_mr", "pd", Layout.Mr.PD);
    offset(beliefs, "ibv_mr", "addr", Layout.Mr.ADDR);
    offset(beliefs, "ibv_mr", "length", Layout.Mr.LENGTH);
    offset(beliefs, "ibv_mr", "lkey", Layout.Mr.LKEY);
    offset(beliefs, "ibv_mr", "rkey", Layout.Mr.RKEY);
    offset(beliefs, "ibv_comp_channel", "context", Layout.CompChannel.CONTEXT);
    offset(beliefs, "ibv_comp_channel", "fd", Layout.CompChannel.FD);
    offset(beliefs, "ibv_cq", "context", Layout.Cq.CONTEXT);
    offset(beliefs, "ibv_cq", "channel", Layout.Cq.CHANNEL);
    offset(beliefs, "ibv_cq", "cqe", Layout.Cq.CQE);
    offset(beliefs, "ibv_qp", "context", Layout.Qp.CONTEXT);
    offset(beliefs, "ibv_qp", "pd", Layout.Qp.PD);
    offset(beliefs, "ibv_qp", "send_cq", Layout.Qp.SEND_CQ);
    offset(beliefs, "ibv_qp", "recv_cq", Layout.Qp.RECV_CQ);
    offset(beliefs, "ibv_qp", "qp_num", Layout.Qp.QP_NUM);
    offset(beliefs, "ibv_qp", "qp_type", Layout.Qp.QP_TYPE);
    size(beliefs, "ibv_async_event", Layout.AsyncEventRecord.BYTES);
    offset(beliefs, "ibv_async_event", "element", Layout.AsyncEventRecord.ELEMENT);
    offset(beliefs, "ibv_async_event", "event_type", Layout.AsyncEventRecord.EVENT_TYPE);
  }

  private static void attributes(Map<String, Integer> beliefs) {
    size(beliefs, "ibv_qp_init_attr", Layout.QpInitAttr.BYTES);
    offset(beliefs, "ibv_qp_init_attr", "send_cq", Layout.QpInitAttr.SEND_CQ);
    offset(beliefs, "ibv_qp_init_attr", "recv_cq", Layout.QpInitAttr.RECV_CQ);
    offset(beliefs, "ibv_qp_init_attr", "srq", Layout.QpInitAttr.SRQ);
    offset(beliefs, "ibv_qp_init_attr", "cap.max_send_wr", Layout.QpInitAttr.MAX_SEND_WR);
    offset(beliefs, "ibv_qp_init_attr", "cap.max_recv_wr", Layout.QpInitAttr.MAX_RECV_WR);
    offset(beliefs, "ibv_qp_init_attr", "cap.max_send_sge", Layout.QpInitAttr.MAX_SEND_SGE);
    offset(beliefs, "ibv_qp_init_attr", "cap.max_recv_sge", Layout.QpInitAttr.MAX_RECV_SGE);
    offset(beliefs, "ibv_qp_init_attr", "cap.max_inline_data", Layout.QpInitAttr.MAX_INLINE_DATA);
    offset(beliefs, "ibv_qp_init_attr", "qp_type", Layout.QpInitAttr.QP_TYPE);
    offset(beliefs, "ibv_qp_init_attr", "sq_sig_all", Layout.QpInitAttr.SQ_SIG_ALL);
    size(beliefs, "ibv_ah_attr", Layout.AhAttr.BYTES);
    offset(beliefs, "ibv_ah_attr", "grh.dgid", Layout.AhAttr.DGID);
    offset(beliefs, "ibv_ah_attr", "grh.flow_label", Layout.AhAttr.FLOW_LABEL);
    offset(beliefs, "ibv_ah_attr", "grh.sgid_index", Layout.AhAttr.SGID_INDEX);
    offset(beliefs, "ibv_ah_attr", "grh.hop_limit", Layout.AhAttr.HOP_LIMIT);
    offset(beliefs, "ibv_ah_attr", "grh.traffic_class", Layout.AhAttr.TRAFFIC_CLASS);
    offset(beliefs, "ibv_ah_attr", "sl", Layout.AhAttr.SL);
    offset(beliefs, "ibv_ah_attr", "is_global", Layout.AhAttr.IS_GLOBAL);
    offset(beliefs, "ibv_ah_attr", "port_num", Layout.AhAttr.PORT_NUM);
    size(beliefs, "ibv_qp_attr", Layout.QpAttr.BYTES);
    offset(beliefs, "ibv_qp_attr", "qp_state", Layout.QpAttr.QP_STATE);
    offset(beliefs, "ibv_qp_attr", "path_mtu", Layout.QpAttr.PATH_MTU);
    offset(beliefs, "ibv_qp_attr", "qkey", Layout.QpAttr.QKEY);
    offset(beliefs, "ibv_qp_attr", "rq_psn", Layout.QpAttr.RQ_PSN);
    offset(beliefs, "ibv_qp_attr", "sq_psn", Layout.QpAttr.SQ_PSN);
    offset(beliefs, "ibv_qp_attr", "dest_qp_num", Layout.QpAttr.DEST_QP_NUM);
    offset(beliefs, "ibv_qp_attr", "qp_access_flags", Layout.QpAttr.QP_ACCESS_FLAGS);
    offset(beliefs, "ibv_qp_attr", "ah_attr", Layout.QpAttr.AH_ATTR);
    offset(beliefs, "ibv_qp_attr", "pkey_index", Layout.QpAttr.PKEY_INDEX);
    offset(beliefs, "ibv_qp_attr", "max_rd_atomic", Layout.QpAttr.MAX_RD_ATOMIC);
    offset(beliefs, "ibv_qp_attr", "max_dest_rd_atomic", Layout.QpAttr.MAX_DEST_RD_ATOMIC);
    offset(beliefs, "ibv_qp_attr", "min_rnr_timer", Layout.QpAttr.MIN_RNR_TIMER);
    offset(beliefs, "ibv_qp_attr", "port_num", Layout.QpAttr.PORT_NUM);
    offset(beliefs, "ibv_qp_attr", "timeout", Layout.QpAttr.TIMEOUT);
    offset(beliefs, "ibv_qp_attr", "retry_cnt", Layout.QpAttr.RETRY_CNT);
    offset(beliefs, "ibv_qp_attr", "rnr_retry", Layout.QpAttr.RNR_RETRY);
  }

  private static void requests(Map<String, Integer> beliefs) {
    size(beliefs, "ibv_sge", Layout.Sge.BYTES);
    offset(beliefs, "ibv_sge", "addr", Layout.Sge.ADDR);
    offset(beliefs, "ibv_sge", "length", Layout.Sge.LENGTH);
    offset(beliefs, "ibv_sge", "lkey", Layout.Sge.LKEY);
    size(beliefs, "ibv_send_wr", Layout.SendWr.BYTES);
    offset(beliefs, "ibv_send_wr", "wr_id", Layout.SendWr.WR_ID);
    offset(beliefs, "ibv_send_wr", "next", Layout.SendWr.NEXT);
    offset(beliefs, "ibv_send_wr", "sg_list", Layout.SendWr.SG_LIST);
    offset(beliefs, "ibv_send_wr", "num_sge", Layout.SendWr.NUM_SGE);
    offset(beliefs, "ibv_send_wr", "opcode", Layout.SendWr.OPCODE);
    offset(beliefs, "ibv_send_wr", "send_flags", Layout.SendWr.SEND_FLAGS);
    offset(beliefs, "ibv_send_wr", "imm_data", Layout.SendWr.IMM_DATA);
    offset(beliefs, "ibv_send_wr", "wr.rdma.remote_addr", Layout.SendWr.REMOTE_ADDR);
    offset(beliefs, "ibv_send_wr", "wr.rdma.rkey", Layout.SendWr.RDMA_RKEY);
    offset(beliefs, "ibv_send_wr", "wr.atomic.compare_add", Layout.SendWr.ATOMIC_COMPARE_ADD);
    offset(beliefs, "ibv_send_wr", "wr.atomic.swap", Layout.SendWr.ATOMIC_SWAP);
    offset(beliefs, "ibv_send_wr", "wr.atomic.rkey", Layout.SendWr.ATOMIC_RKEY);
    size(beliefs, "ibv_recv_wr", Layout.RecvWr.BYTES);
    offset(beliefs, "ibv_recv_wr", "sg_list", Layout.RecvWr.SG_LIST);
    offset(beliefs, "ibv_recv_wr", "num_sge", Layout.RecvWr.NUM_SGE);
    size(beliefs, "ibv_wc", Layout.Wc.BYTES);
    offset(beliefs, "ibv_wc", "status", Layout.Wc.STATUS);
    offset(beliefs, "ibv_wc", "opcode", Layout.Wc.OPCODE);
    offset(beliefs, "ibv_wc", "vendor_err", Layout.Wc.VENDOR_ERR);
    offset(beliefs, "ibv_wc", "byte_len", Layout.Wc.BYTE_LEN);
    offset(beliefs, "ibv_wc", "imm_data", Layout.Wc.IMM_DATA);
    offset(beliefs, "ibv_wc", "qp_num", Layout.Wc.QP_NUM);
    offset(beliefs, "ibv_wc", "src_qp", Layout.Wc.SRC_QP);
    offset(beliefs, "ibv_wc", "wc_flags", Layout.Wc.WC_FLAGS);
    beliefs.put("IBV_WC_WITH_IMM", Layout.Wc.WITH_IMM);
    for (CompletionOpcode opcode : CompletionOpcode.values()) {
      beliefs.putIfAbsent("IBV_WC_" + nameInC(opcode), opcode.code());
    }
    for (SendOpcode opcode : SendOpcode.values()) {
      beliefs.put("IBV_WR_" + nameInC(opcode), opcode.code());
    }
    for (QueuePairState state : QueuePairState.values()) {
      beliefs.put("IBV_QPS_" + state, state.code());
    }
    for (CompletionStatus status : CompletionStatus.values()) {
      beliefs.put("IBV_WC_" + status, status.code());
    }
  }

  private static String nameInC(Enum<?> opcode) {
    return opcode
        .name()
        .replace("RECEIVE", "RECV")
        .replace("COMPARE_AND_SWAP", opcode instanceof SendOpcode ? "CMP_AND_SWP" : "COMP_SWAP")
        .replace("FETCH_AND_ADD", opcode instanceof SendOpcode ? "FETCH_AND_ADD" : "FETCH_ADD");
  }

  private static void offset(Map<String, Integer> beliefs, String type, String field, int at) {
    beliefs.put("offsetof(struct " + type + ", " + field + ")", at);
  }

  private static void size(Map<String, Integer> beliefs, String type, int bytes) {
    beliefs.put("sizeof(struct " + type + ")", bytes);
  }

  @Test
  void shouldAgreeWithTheHeaderOfThisHost(@TempDir Path folder)
      throws IOException, InterruptedException, VerbsException {
    assumeTrue(Files.exists(HEADER), HEADER + " is not installed (package libibverbs-dev)");
    assumeTrue(FakeLibrary.hasCompiler(), "gcc is not installed");
    Map<String, Integer> beliefs = beliefs();
    StringBuilder code = new StringBuilder("#include <stddef.h>\n#include <infiniband/verbs.h>\n");
    beliefs.forEach(
        (expression, value) ->
            code.append("_Static_assert((")
                .append(expression)
                .append(") == ")
                .append(value)
                .append(", \"not ")
                .append(value)
                .append("\");\n"));
    Path source = folder.resolve("layout.c");
    Path output = folder.resolve("gcc.txt");
    Files.writeString(source, code, StandardCharsets.US_ASCII);
    Process gcc =
        new ProcessBuilder(List.of("gcc", "-fsyntax-only", source.toString()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(gcc.waitFor(60, TimeUnit.SECONDS), "gcc did not end");
      assertEquals("", Files.readString(output));
    } finally {
      gcc.destroyForcibly();
    }
  }
}
