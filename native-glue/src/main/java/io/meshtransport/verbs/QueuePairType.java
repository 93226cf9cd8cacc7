// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Service of a queue pair (enum ibv_qp_type, man ibv_create_qp; InfiniBand 1.4 section 9.2). What
 * each may post is the table in man ibv_post_send.
 */
public enum QueuePairType {
  /**
   * Reliable connected: in order, exactly once, complete when the peer has it. All requests up to
   * the port's largest message.
   */
  RC(2),

  /**
   * Unreliable connected: one peer, in order; lost packets are not repeated, and complete means
   * sent. Sends and writes, up to the port's largest message.
   */
  UC(3),

  /**
   * Unreliable datagram: any peer, named in each send by {@link SendChain#destination}. Sends of at
   * most one packet, the path's MTU: longer ones fail or are lost, depending on the device. Each
   * receive begins with {@link ReceiveChain#ROUTE_HEADER_BYTES} bytes that are not payload.
   */
  UD(4);

  private final int code;

  QueuePairType(int code) {
    this.code = code;
  }

  /** Whether such a request may be posted (table in man ibv_post_send). */
  public boolean allows(SendOpcode opcode) {
    return switch (opcode) {
      case SEND, SEND_WITH_IMM -> true;
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> this != UD;
      case RDMA_READ, ATOMIC_COMPARE_AND_SWAP, ATOMIC_FETCH_AND_ADD -> this == RC;
    };
  }

  /** Number in struct ibv_qp_init_attr. */
  public int code() {
    return code;
  }
}
