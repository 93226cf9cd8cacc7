// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * A chain of receive work requests (linked struct ibv_recv_wr). The rules of {@link SendChain}
 * apply. A request without {@link #sge} can receive only messages of no bytes, such as the
 * immediate of an RDMA write.
 */
public interface ReceiveChain {
  /**
   * Bytes that come before the payload in each receive on a UD queue pair: the global route header,
   * of whose last 20 bytes RoCE v2 over IPv4 makes its IP header (InfiniBand 1.4 section 8.3, Annex
   * A17.4.5.1). Make receives that much longer.
   */
  int ROUTE_HEADER_BYTES = 40;

  int capacity();

  int size();

  void clear();

  /**
   * Begins the next request.
   *
   * @param id returned in the completion
   */
  void begin(long id);

  /** Adds a piece of local memory to receive into; it must allow LOCAL_WRITE. */
  void sge(long address, int lengthBytes, int localKey);

  /** After a refused post: position of the first request that was not posted. */
  int refusedIndex();
}
