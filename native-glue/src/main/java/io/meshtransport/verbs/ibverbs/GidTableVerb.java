// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/** The function behind the inline ibv_query_gid_table, in libibverbs since rdma-core 32. */
interface GidTableVerb {
  /** Rows found, or a negative errno. */
  long _ibv_query_gid_table(long context, long rows, long mostRows, int flags, long bytesOfARow);

  /** Copied and bound by {@link DirectBinding}. */
  final class Bound implements GidTableVerb {
    @Override
    public native long _ibv_query_gid_table(
        long context, long rows, long mostRows, int flags, long bytesOfARow);
  }
}
