// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/** What a send work request does; codes of enum ibv_wr_opcode (man ibv_post_send). */
public enum SendOpcode {
  RDMA_WRITE(0),
  RDMA_WRITE_WITH_IMM(1),
  SEND(2),
  SEND_WITH_IMM(3),
  RDMA_READ(4),
  ATOMIC_COMPARE_AND_SWAP(5),
  ATOMIC_FETCH_AND_ADD(6);

  private final int code;

  SendOpcode(int code) {
    this.code = code;
  }

  /** Number in struct ibv_send_wr. */
  public int code() {
    return code;
  }
}
