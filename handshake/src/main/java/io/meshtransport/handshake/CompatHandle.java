// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * The handle of a listener for both wires: the C plugin's handle in the first {@value #SLOT_BYTES}
 * bytes, which is all that a C plugin reads, and our own after them. An immutable value; any
 * thread.
 *
 * @param legacy handle for C plugins
 * @param ours handle for nodes of this library
 */
public record CompatHandle(LegacyHandle legacy, PeerHandle ours) {
  /** Bytes of an NCCL handle (NCCL_NET_HANDLE_MAXSIZE in NCCL's net.h). */
  public static final int SLOT_BYTES = 128;

  /** No such handle is longer, in bytes. */
  public static final int MAX_LENGTH_BYTES = SLOT_BYTES + PeerHandle.MAX_LENGTH_BYTES;

  public CompatHandle {
    Objects.requireNonNull(legacy, "legacy");
    Objects.requireNonNull(ours, "ours");
  }

  /** Both, one after the other; the gap is zero. */
  public byte[] encode() {
    byte[] second = ours.encode();
    return ByteBuffer.allocate(SLOT_BYTES + second.length)
        .put(0, legacy.encode())
        .put(SLOT_BYTES, second)
        .array();
  }

  /**
   * Our own handle within the bytes of {@link #encode}.
   *
   * @return a handle for {@link PeerHandle#decodePadded}; empty if a C plugin wrote these bytes, or
   *     they were cut to what a C plugin reads
   */
  public static byte[] ours(byte[] handle) {
    byte[] second =
        handle.length > SLOT_BYTES
            ? Arrays.copyOfRange(handle, SLOT_BYTES, handle.length)
            : new byte[0];
    return PeerHandle.isMeant(second) ? second : new byte[0];
  }
}
