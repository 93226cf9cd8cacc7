package io.meshtransport.verbs;

import com.sun.jna.Native;

/**
 * A piece of a dma-buf, checked for registration.
 *
 * @param fileDescriptor the caller's
 * @param offsetBytes where it begins, from 0
 * @param lengthBytes at least 1
 */
record DmaBuf(int fileDescriptor, long offsetBytes, long lengthBytes) {
  private static final String INSTEAD =
      " Copy through memory registered with ProtectionDomain.register instead.";

  /**
   * @throws VerbsException EBADF or EINVAL, as {@link ProtectionDomain#registerDmaBuf} says
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
                            + INSTEAD));
    long pointer =
        verb.ibv_reg_dmabuf_mr(
            domain.pointer(), offsetBytes, lengthBytes, iova, fileDescriptor, access);
    int errno = pointer == 0 ? Native.getLastError() : 0;
    if (errno == Errno.EOPNOTSUPP) {
      throw new VerbsException(
          errno,
          domain.device().description()
              + " cannot register a dma-buf (ibv_reg_dmabuf_mr: errno 95, EOPNOTSUPP): its driver"
              + " or the kernel lacks it."
              + INSTEAD);
    }
    NativeFailure.check(errno, "ibv_reg_dmabuf_mr", this + " in a " + domain.description());
    return pointer;
  }
}
