// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/**
 * Where the fields of libibverbs' structures lie, in bytes, as rdma-core's {@code verbs.h} declares
 * them. The same on x86-64 and aarch64 but for what lies behind a {@code pthread_mutex_t}, which
 * glibc gives 40 bytes on the one and 48 on the other: {@link #abiCompat}. {@link LayoutCheck}
 * compares with what the library reports.
 */
final class Layout {
  static final int POINTER_BYTES = 8;

  private Layout() {}

  /** struct ibv_device. */
  static final class Device {
    static final int NAME = 24;
    static final int NAME_BYTES = 64;

    private Device() {}
  }

  /** struct ibv_context, and the size field of the verbs_context that ends right before it. */
  static final class Context {
    static final int VERBS_CONTEXT_SIZE = -8;
    static final int DEVICE = 0;
    static final int OPS = 8;
    static final int OPS_POLL_CQ = OPS + 88;
    static final int OPS_REQ_NOTIFY_CQ = OPS + 96;
    static final int OPS_POST_SRQ_RECV = OPS + 160;
    static final int OPS_POST_SEND = OPS + 200;
    static final int OPS_POST_RECV = OPS + 208;
    static final int CMD_FD = 264;
    static final int ASYNC_FD = 268;
    static final int NUM_COMP_VECTORS = 272;
    static final int MUTEX = 280;

    /**
     * What is in front of ibv_context in verbs_context of rdma-core 1.1.7, the first to have it.
     */
    static final int VERBS_CONTEXT_LEAST_BYTES = 8 + MUTEX + 40 + POINTER_BYTES;

    /** Three times what rdma-core had in 2026 (696): beyond it, the number is no size. */
    static final int VERBS_CONTEXT_MOST_BYTES = 2048;

    private Context() {}
  }

  /** struct ibv_device_attr, 232 bytes. */
  static final class DeviceAttr {
    static final int BYTES = 256;
    static final int FW_VER = 0;
    static final int FW_VER_BYTES = 64;
    static final int NODE_GUID = 64;
    static final int SYS_IMAGE_GUID = 72;
    static final int MAX_MR_SIZE = 80;
    static final int PAGE_SIZE_CAP = 88;
    static final int VENDOR_ID = 96;
    static final int VENDOR_PART_ID = 100;
    static final int HW_VER = 104;
    static final int MAX_QP = 108;
    static final int MAX_QP_WR = 112;
    static final int MAX_SGE = 120;
    static final int MAX_SGE_RD = 124;
    static final int MAX_CQ = 128;
    static final int MAX_CQE = 132;
    static final int MAX_MR = 136;
    static final int MAX_PD = 140;
    static final int MAX_QP_RD_ATOM = 144;
    static final int MAX_QP_INIT_RD_ATOM = 156;
    static final int ATOMIC_CAP = 164;
    static final int MAX_AH = 200;
    static final int MAX_SRQ = 212;
    static final int MAX_SRQ_WR = 216;
    static final int MAX_SRQ_SGE = 220;
    static final int MAX_PKEYS = 224;
    static final int PHYS_PORT_CNT = 227;

    private DeviceAttr() {}
  }

  /** struct ibv_port_attr; the exported ibv_query_port fills the first 48 bytes. */
  static final class PortAttr {
    static final int BYTES = 64;
    static final int STATE = 0;
    static final int MAX_MTU = 4;
    static final int ACTIVE_MTU = 8;
    static final int GID_TBL_LEN = 12;
    static final int MAX_MSG_SZ = 20;
    static final int PKEY_TBL_LEN = 32;
    static final int ACTIVE_WIDTH = 43;
    static final int ACTIVE_SPEED = 44;
    static final int PHYS_STATE = 45;
    static final int LINK_LAYER = 46;

    /** In phys_state (InfiniBand 1.4 table 146, PortPhysicalState). */
    static final int PHYS_STATE_LINK_UP = 5;

    private PortAttr() {}
  }

  /** struct ibv_gid_entry. */
  static final class GidEntryRow {
    static final int BYTES = 32;
    static final int GID = 0;
    static final int GID_INDEX = 16;
    static final int PORT_NUM = 20;
    static final int GID_TYPE = 24;
    static final int NDEV_IFINDEX = 28;

    private GidEntryRow() {}
  }

  /** struct ibv_pd. */
  static final class Pd {
    static final int CONTEXT = 0;

    private Pd() {}
  }

  /** struct ibv_mr. */
  static final class Mr {
    static final int CONTEXT = 0;
    static final int PD = 8;
    static final int ADDR = 16;
    static final int LENGTH = 24;
    static final int LKEY = 36;
    static final int RKEY = 40;

    private Mr() {}
  }

  /** struct ibv_comp_channel. */
  static final class CompChannel {
    static final int CONTEXT = 0;
    static final int FD = 8;

    private CompChannel() {}
  }

  /** struct ibv_cq. */
  static final class Cq {
    static final int CONTEXT = 0;
    static final int CHANNEL = 8;
    static final int CQE = 28;

    private Cq() {}
  }

  /** struct ibv_qp. */
  static final class Qp {
    static final int CONTEXT = 0;
    static final int PD = 16;
    static final int SEND_CQ = 24;
    static final int RECV_CQ = 32;
    static final int SRQ = 40;
    static final int QP_NUM = 52;
    static final int QP_TYPE = 60;

    private Qp() {}
  }

  /** struct ibv_ah. */
  static final class Ah {
    static final int CONTEXT = 0;
    static final int PD = 8;

    private Ah() {}
  }

  /** struct ibv_srq. */
  static final class Srq {
    static final int CONTEXT = 0;
    static final int PD = 16;
    static final int HANDLE = 24;

    private Srq() {}
  }

  /** struct ibv_srq_init_attr with its ibv_srq_attr. */
  static final class SrqInitAttr {
    static final int BYTES = 24;
    static final int MAX_WR = 8;
    static final int MAX_SGE = 12;

    private SrqInitAttr() {}
  }

  /** struct ibv_srq_attr, and enum ibv_srq_attr_mask. */
  static final class SrqAttr {
    static final int BYTES = 12;
    static final int MAX_WR = 0;
    static final int SRQ_LIMIT = 8;
    static final int MASK_MAX_WR = 1;
    static final int MASK_LIMIT = 1 << 1;

    private SrqAttr() {}
  }

  /** struct ibv_qp_init_attr with its ibv_qp_cap. */
  static final class QpInitAttr {
    static final int BYTES = 64;
    static final int SEND_CQ = 8;
    static final int RECV_CQ = 16;
    static final int SRQ = 24;
    static final int CAP = 32;
    static final int MAX_SEND_WR = CAP;
    static final int MAX_RECV_WR = CAP + 4;
    static final int MAX_SEND_SGE = CAP + 8;
    static final int MAX_RECV_SGE = CAP + 12;
    static final int MAX_INLINE_DATA = CAP + 16;
    static final int QP_TYPE = 52;
    static final int SQ_SIG_ALL = 56;

    private QpInitAttr() {}
  }

  /** struct ibv_ah_attr with its ibv_global_route. */
  static final class AhAttr {
    static final int BYTES = 32;
    static final int DGID = 0;
    static final int FLOW_LABEL = 16;
    static final int SGID_INDEX = 20;
    static final int HOP_LIMIT = 21;
    static final int TRAFFIC_CLASS = 22;
    static final int SL = 26;
    static final int IS_GLOBAL = 29;
    static final int PORT_NUM = 30;

    private AhAttr() {}
  }

  /** struct ibv_qp_attr. */
  static final class QpAttr {
    static final int BYTES = 144;
    static final int QP_STATE = 0;
    static final int PATH_MTU = 8;
    static final int QKEY = 16;
    static final int RQ_PSN = 20;
    static final int SQ_PSN = 24;
    static final int DEST_QP_NUM = 28;
    static final int QP_ACCESS_FLAGS = 32;
    static final int AH_ATTR = 56;
    static final int PKEY_INDEX = 120;
    static final int MAX_RD_ATOMIC = 126;
    static final int MAX_DEST_RD_ATOMIC = 127;
    static final int MIN_RNR_TIMER = 128;
    static final int PORT_NUM = 129;
    static final int TIMEOUT = 130;
    static final int RETRY_CNT = 131;
    static final int RNR_RETRY = 132;

    private QpAttr() {}
  }

  /** enum ibv_qp_attr_mask: which fields of ibv_qp_attr count. */
  static final class QpAttrMask {
    static final int STATE = 1;
    static final int ACCESS_FLAGS = 1 << 3;
    static final int PKEY_INDEX = 1 << 4;
    static final int PORT = 1 << 5;
    static final int QKEY = 1 << 6;
    static final int AV = 1 << 7;
    static final int PATH_MTU = 1 << 8;
    static final int TIMEOUT = 1 << 9;
    static final int RETRY_CNT = 1 << 10;
    static final int RNR_RETRY = 1 << 11;
    static final int RQ_PSN = 1 << 12;
    static final int MAX_QP_RD_ATOMIC = 1 << 13;
    static final int MIN_RNR_TIMER = 1 << 15;
    static final int SQ_PSN = 1 << 16;
    static final int MAX_DEST_RD_ATOMIC = 1 << 17;
    static final int CAP = 1 << 19;
    static final int DEST_QPN = 1 << 20;

    private QpAttrMask() {}
  }

  /** struct ibv_sge. */
  static final class Sge {
    static final int BYTES = 16;
    static final int ADDR = 0;
    static final int LENGTH = 8;
    static final int LKEY = 12;

    private Sge() {}
  }

  /** struct ibv_send_wr. */
  static final class SendWr {
    static final int BYTES = 128;
    static final int WR_ID = 0;
    static final int NEXT = 8;
    static final int SG_LIST = 16;
    static final int NUM_SGE = 24;
    static final int OPCODE = 28;
    static final int SEND_FLAGS = 32;
    static final int IMM_DATA = 36;
    static final int REMOTE_ADDR = 40;
    static final int RDMA_RKEY = 48;
    static final int ATOMIC_COMPARE_ADD = 48;
    static final int ATOMIC_SWAP = 56;
    static final int ATOMIC_RKEY = 64;
    static final int UD_AH = 40;
    static final int UD_REMOTE_QPN = 48;
    static final int UD_REMOTE_QKEY = 52;

    private SendWr() {}
  }

  /** struct ibv_recv_wr. */
  static final class RecvWr {
    static final int BYTES = 32;
    static final int WR_ID = 0;
    static final int NEXT = 8;
    static final int SG_LIST = 16;
    static final int NUM_SGE = 24;

    private RecvWr() {}
  }

  /** struct ibv_wc. */
  static final class Wc {
    static final int BYTES = 48;
    static final int WR_ID = 0;
    static final int STATUS = 8;
    static final int OPCODE = 12;
    static final int VENDOR_ERR = 16;
    static final int BYTE_LEN = 20;
    static final int IMM_DATA = 24;
    static final int QP_NUM = 28;
    static final int SRC_QP = 32;
    static final int WC_FLAGS = 36;

    /** IBV_WC_GRH in wc_flags. */
    static final int GRH = 1;

    /** IBV_WC_WITH_IMM in wc_flags. */
    static final int WITH_IMM = 1 << 1;

    private Wc() {}
  }

  /** struct ibv_async_event. */
  static final class AsyncEventRecord {
    static final int BYTES = 16;
    static final int ELEMENT = 0;
    static final int EVENT_TYPE = 8;

    private AsyncEventRecord() {}
  }
}
