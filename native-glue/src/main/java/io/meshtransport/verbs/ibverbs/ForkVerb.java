// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/** Whether registered memory survives fork(2), in libibverbs since rdma-core 35. */
interface ForkVerb {
  /** A number of enum ibv_fork_status. */
  int ibv_is_fork_initialized();

  /** Copied and bound by {@link DirectBinding}. */
  final class Bound implements ForkVerb {
    @Override
    public native int ibv_is_fork_initialized();
  }
}
