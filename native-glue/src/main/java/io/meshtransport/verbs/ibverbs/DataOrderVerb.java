// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/** In which order written bytes are seen, in libibverbs since rdma-core 42. */
interface DataOrderVerb {
  /** 1 if in order. */
  int ibv_query_qp_data_in_order(long queuePair, int opcode, int flags);

  /** Copied and bound by {@link DirectBinding}. */
  final class Bound implements DataOrderVerb {
    @Override
    public native int ibv_query_qp_data_in_order(long queuePair, int opcode, int flags);
  }
}
