// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsException;

/**
 * A piece of a dma-buf, checked for registration.
 *
 * @param fileDescriptor the caller's
 * @param offsetBytes where it begins, from 0
 * @param lengthBytes at least 1
 */
record DmaBuf(int fileDescriptor, long offsetBytes, long lengthBytes) {
  /**
   * @throws VerbsException EBADF or EINVAL, as {@link ProtectionDomain#registerDmaBuf} specifies
   */
  static DmaBuf of(int fileDescriptor, long offsetBytes, long lengthBytes) throws VerbsException {
    if (fileDescriptor < 0) {
      throw new VerbsException(
          Errno.EBADF, "file descriptor " + fileDescriptor + " is none, and no dma-buf");
    }
    if (offsetBytes < 0 || lengthBytes < 1 || offsetBytes + lengthBytes < 0) {
      throw new VerbsException(
          Errno.EINVAL,
          "bytes "
              + offsetBytes
              + " to "
              + (offsetBytes + lengthBytes)
              + " of a dma-buf: give an"
              + " offset from 0 and at least one byte");
    }
    return new DmaBuf(fileDescriptor, offsetBytes, lengthBytes);
  }

  /** Registers it. Inside the domain's gate. */
  long register(NativeProtectionDomain domain, long iova, int access) throws VerbsException {
    DmaBufVerb verb =
        domain
            .device()
            .library()
            .newer()
            .dmaBuf()
            .orElseThrow(
                () ->
                    new VerbsException(
                        Errno.EOPNOTSUPP,
                        "this libibverbs cannot register a dma-buf: rdma-core 34 or newer can."
                            + " Copy through registered memory of the host instead."));
    long pointer =
        verb.ibv_reg_dmabuf_mr(
            domain.pointer(), offsetBytes, lengthBytes, iova, fileDescriptor, access);
    NativeFailure.checkPointer(
        pointer, "ibv_reg_dmabuf_mr", this + " in a " + domain.description());
    return pointer;
  }
}
