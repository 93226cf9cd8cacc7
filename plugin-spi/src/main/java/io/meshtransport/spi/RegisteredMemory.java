// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * Memory that NICs may read and write. Created by {@link Transport#register} or {@link
 * Transport#allocate}; closed by the caller of that. Any thread may call it.
 */
public interface RegisteredMemory extends AutoCloseable {
  /** Length in bytes, of all segments together. */
  long lengthBytes();

  /** The buffers it consists of, in order: those given to register, or those allocated. */
  List<ByteBuffer> segments();

  /**
   * The address of the first byte, for native code and for {@link Transport#register(long, long,
   * Set, Object)}. The memory is contiguous: byte {@code n} is at {@code address() + n}, whichever
   * segment it is in. Valid until the memory is closed; a program that reads or writes there keeps
   * it open meanwhile. Unsigned. Allocates at most on the first call.
   *
   * @throws IllegalStateException if the segments are not adjacent in memory, so that no single
   *     address leads to all of them, or if the memory is closed
   */
  long address();

  /**
   * What a peer needs to put to this memory and get from it ({@link Transport#remoteMemory}):
   * opaque bytes, 36 and another 12 for each NIC of this transport. Carry them by any means, such
   * as a message. Every node that has them and a channel to this node can use them until the memory
   * is closed.
   *
   * @throws IllegalStateException if it was registered without {@link RemoteAccess}, or is closed
   */
  byte[] remoteKey();

  /**
   * Deregisters the memory. New requests with it are refused at once; outstanding requests go on,
   * and the registration ends with the last of them. Its key is invalid from then on: a put or get
   * with it fails with REMOTE_ACCESS, and its channel with it. A peer's put or get that is in
   * flight is no request of this end, so agree with the peer before closing. Safe to call twice.
   */
  @Override
  void close();
}
