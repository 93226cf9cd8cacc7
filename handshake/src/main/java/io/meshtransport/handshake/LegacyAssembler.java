// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Assembles the one message that the C plugin sends on a connection. The message has no magic
 * number, so foreign software is noticed only if its first byte is not 0x00, or if it sends more
 * than the message.
 */
final class LegacyAssembler implements MessageAssembler {
  private final byte[] bytes = new byte[LegacyEndpoint.LENGTH_BYTES];
  private int filledBytes;

  @Override
  public Optional<byte[]> assemble(ByteBuffer in) throws WireException {
    int before = filledBytes;
    int taken = Math.min(in.remaining(), bytes.length - filledBytes);
    in.get(bytes, filledBytes, taken);
    filledBytes += taken;
    if (filledBytes > 0 && bytes[0] != HandshakeFrameHeader.LEGACY_FIRST_BYTE) {
      throw new WireException(
          Reason.GARBAGE,
          String.format(
              "the first byte is 0x%02x; a C plugin's queue pair number begins with 0x00",
              bytes[0]));
    }
    if (in.hasRemaining()) {
      throw new WireException(
          Reason.GARBAGE, "more than the " + bytes.length + " bytes of a C plugin's message");
    }
    return before < bytes.length && filledBytes == bytes.length
        ? Optional.of(bytes)
        : Optional.empty();
  }

  @Override
  public boolean isEmpty() {
    return filledBytes == 0;
  }
}
