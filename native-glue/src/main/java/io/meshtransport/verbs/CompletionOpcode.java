// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The kind of a successful completion; codes of enum ibv_wc_opcode (man ibv_poll_cq). Undefined
 * where the status is not SUCCESS.
 */
public enum CompletionOpcode {
  SEND(0),
  RDMA_WRITE(1),
  RDMA_READ(2),
  COMPARE_AND_SWAP(3),
  FETCH_AND_ADD(4),
  RECEIVE(128),
  RECEIVE_RDMA_WITH_IMM(129);

  private final int code;

  CompletionOpcode(int code) {
    this.code = code;
  }

  /** Number in struct ibv_wc. */
  public int code() {
    return code;
  }
}
