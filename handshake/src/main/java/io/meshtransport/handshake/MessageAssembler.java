// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Cuts one connection's stream of bytes into messages. One per connection, confined to its event
 * loop.
 */
interface MessageAssembler {
  /**
   * Reads bytes until a message is complete or the bytes run out; call again while any remain.
   *
   * @return the complete message; empty if more bytes are needed
   * @throws WireException at the first byte that cannot belong to a message; the stream is useless
   *     from there on
   */
  Optional<byte[]> assemble(ByteBuffer in) throws WireException;

  /** Whether no message has begun. */
  boolean isEmpty();
}
