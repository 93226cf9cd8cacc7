// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Messages on a connection, each behind its length in four bytes. Several are read at once where
 * they have arrived together, and written at once where they are appended. One thread reads, one
 * writes.
 */
final class SocketFrames {
  /** Of what is before each message. */
  static final int LENGTH_BYTES = Integer.BYTES;

  private static final int BUFFER_BYTES = 64 << 10;

  private final SocketChannel channel;
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);

  SocketFrames(SocketChannel channel) {
    this.channel = channel;
    in.limit(0);
  }

  /**
   * Waits for a message.
   *
   * @return where it begins in {@link #in}, valid until the next call
   */
  int next() throws IOException {
    while (!hasNext()) {
      in.compact();
      if (channel.read(in) < 0) {
        throw new IOException("the other end has closed in the middle of a run");
      }
      in.flip();
    }
    int length = in.getInt();
    int at = in.position();
    in.position(at + length);
    return at;
  }

  /** Whether a whole message is there already. */
  boolean hasNext() {
    return in.remaining() >= LENGTH_BYTES
        && in.remaining() >= LENGTH_BYTES + in.getInt(in.position());
  }

  /** What was read. */
  ByteBuffer in() {
    return in;
  }

  /** Appends a message to what is written next. */
  void append(ByteBuffer bytes, int offsetBytes, int lengthBytes) throws IOException {
    if (out.remaining() < LENGTH_BYTES + lengthBytes) {
      flush();
    }
    out.putInt(lengthBytes);
    out.put(out.position(), bytes, offsetBytes, lengthBytes);
    out.position(out.position() + lengthBytes);
  }

  /** Writes what was appended. */
  void flush() throws IOException {
    out.flip();
    while (out.hasRemaining()) {
      channel.write(out);
    }
    out.clear();
  }
}
