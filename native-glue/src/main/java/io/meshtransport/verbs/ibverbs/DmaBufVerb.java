// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/** Registering memory of other devices, in libibverbs since rdma-core 34. */
interface DmaBufVerb {
  long ibv_reg_dmabuf_mr(
      long domain, long offset, long lengthBytes, long iova, int fileDescriptor, int access);

  /** Copied and bound by {@link DirectBinding}. */
  final class Bound implements DmaBufVerb {
    @Override
    public native long ibv_reg_dmabuf_mr(
        long domain, long offset, long lengthBytes, long iova, int fileDescriptor, int access);
  }
}
