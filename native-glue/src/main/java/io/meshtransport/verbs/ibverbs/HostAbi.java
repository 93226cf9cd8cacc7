// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteOrder;

/**
 * What of the C interface depends on the processor.
 *
 * @param processor as os.arch names it
 * @param mutexBytes size of glibc's pthread_mutex_t, which lies in the middle of some structures
 */
record HostAbi(String processor, int mutexBytes) {
  private static final int BYTES_ON_X86_64 = 40;
  private static final int BYTES_ON_AARCH64 = 48;

  static HostAbi ofThisHost() throws VerbsException {
    return of(
        System.getProperty("os.name"), System.getProperty("os.arch"), ByteOrder.nativeOrder());
  }

  /**
   * @throws VerbsException EOPNOTSUPP where the layout of libibverbs' structures was never measured
   */
  static HostAbi of(String system, String processor, ByteOrder order) throws VerbsException {
    if (system.equals("Linux") && order == ByteOrder.LITTLE_ENDIAN) {
      switch (processor) {
        case "amd64", "x86_64" -> {
          return new HostAbi(processor, BYTES_ON_X86_64);
        }
        case "aarch64" -> {
          return new HostAbi(processor, BYTES_ON_AARCH64);
        }
        default -> {}
      }
    }
    throw new VerbsException(
        Errno.EOPNOTSUPP,
        "RDMA devices can be driven on Linux on x86-64 and aarch64, not on "
            + system
            + " on "
            + processor
            + " ("
            + order
            + "): the layout of libibverbs' structures is not known there");
  }

  /** Where ibv_context.abi_compat lies: the first field behind the mutex. */
  int abiCompat() {
    return Layout.Context.MUTEX + mutexBytes;
  }
}
