// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Memory that NICs may read and write. Created by {@link Transport#register}; closed by whoever
 * registered it. Any thread may call it.
 */
public interface RegisteredMemory extends AutoCloseable {
  /** Bytes. */
  long lengthBytes();

  /** The buffers it was made of, as given. */
  List<ByteBuffer> segments();

  /**
   * What a peer needs to put to this memory and get from it ({@link Transport#remoteMemory}):
   * opaque bytes, 36 and 12 for each NIC of this transport. Carry them by any means, a message for
   * example; whoever has them and a channel to this node can use them until the memory is closed.
   *
   * @throws IllegalStateException if it was registered without {@link RemoteAccess}, or is closed
   */
  byte[] remoteKey();

  /**
   * Takes it back. New requests with it are refused at once; those outstanding go on, and the
   * registration ends with the last of them. Its key is of no use from then on: a put or get with
   * it fails with REMOTE_ACCESS, and takes its channel with it. A peer's put or get that is under
   * way is no request of this end, so agree with the peer before closing. Safe to call twice.
   */
  @Override
  void close();
}
