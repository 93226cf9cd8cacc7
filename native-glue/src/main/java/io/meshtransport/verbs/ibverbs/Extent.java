// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One range of memory that consists of adjacent direct buffers, checked for registration.
 *
 * @param segments the buffers; reachable as long as this object is
 * @param address of the first byte
 * @param lengthBytes of all together
 */
record Extent(List<ByteBuffer> segments, long address, long lengthBytes) {
  private static final int REMOTE_CHANGE = Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
  private static final int ALL =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.OPTIONAL;

  /**
   * @throws VerbsException EINVAL or EFAULT, as {@link ProtectionDomain#register} specifies
   */
  static Extent of(List<ByteBuffer> segments, int access) throws VerbsException {
    refuseAccess(access);
    if (segments.isEmpty()) {
      throw refusal(Errno.EINVAL, "no buffer at all: give at least one");
    }
    long start = 0;
    long end = 0;
    for (int i = 0; i < segments.size(); i++) {
      refuseSegment(segments.get(i), access);
      long address = NativeBlock.addressOf(segments.get(i));
      if (i == 0) {
        start = address;
      } else if (address != end) {
        throw refusal(
            Errno.EINVAL,
            String.format(
                "buffers that are not adjacent in memory: number %d ends at 0x%x, number %d"
                    + " begins at 0x%x. Slice them from one buffer, or register each by itself",
                i - 1, end, i, address));
      }
      end = address + segments.get(i).capacity();
    }
    return new Extent(List.copyOf(segments), start, end - start);
  }

  /**
   * @throws VerbsException EINVAL for unknown or contradictory bits
   */
  static void refuseAccess(int access) throws VerbsException {
    if ((access & ~ALL) != 0
        || (access & REMOTE_CHANGE) != 0 && (access & Access.LOCAL_WRITE) == 0) {
      throw refusal(
          Errno.EINVAL,
          "access bits "
              + access
              + ": known bits only, and REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE as well");
    }
  }

  private static void refuseSegment(ByteBuffer segment, int access) throws VerbsException {
    if (!segment.isDirect() || segment.capacity() == 0) {
      throw refusal(
          Errno.EINVAL,
          (segment.isDirect() ? "an empty buffer" : "a heap buffer")
              + ": memory must be direct, as from ByteBuffer.allocateDirect, and not empty");
    }
    if (segment.isReadOnly() && (access & (Access.LOCAL_WRITE | REMOTE_CHANGE)) != 0) {
      throw refusal(Errno.EFAULT, "a read-only buffer for writing: leave out the write bits");
    }
  }

  private static VerbsException refusal(int errno, String what) {
    return new VerbsException(errno, "cannot register " + what);
  }
}
