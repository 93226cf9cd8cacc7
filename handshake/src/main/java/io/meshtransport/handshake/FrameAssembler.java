// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Cuts one connection's stream of bytes into frames. Has eight bytes until a header is complete and
 * one frame after that, so a silent connection costs next to nothing. One per connection, confined
 * to its event loop.
 */
final class FrameAssembler implements MessageAssembler {
  private byte[] bytes = new byte[HandshakeFrameHeader.LENGTH_BYTES];
  private int filledBytes;

  /**
   * Assembles one frame.
   *
   * @return a complete frame, its header checked, its body not
   */
  @Override
  public Optional<byte[]> assemble(ByteBuffer in) throws WireException {
    while (in.hasRemaining()) {
      bytes[filledBytes++] = in.get();
      if (filledBytes <= HandshakeFrameHeader.LENGTH_BYTES) {
        HandshakeFrameHeader.requireByte(bytes, filledBytes - 1);
      }
      if (filledBytes == HandshakeFrameHeader.LENGTH_BYTES) {
        bytes = Arrays.copyOf(bytes, HandshakeFrameHeader.frameLengthBytes(bytes));
      }
      if (filledBytes > HandshakeFrameHeader.LENGTH_BYTES && filledBytes == bytes.length) {
        return Optional.of(next());
      }
    }
    return Optional.empty();
  }

  @Override
  public boolean isEmpty() {
    return filledBytes == 0;
  }

  private byte[] next() {
    byte[] whole = bytes;
    bytes = new byte[HandshakeFrameHeader.LENGTH_BYTES];
    filledBytes = 0;
    return whole;
  }
}
