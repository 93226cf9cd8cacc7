// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What passes between a fabric and the {@link GuestAgent}, over one stream of bytes in each
 * direction, all programs of a guest together.
 *
 * <pre>
 *  +--------+--------+--------+--------+--------+
 *  |  kind  |  number of the program (i32, BE)  |
 *  +--------+--------+--------+--------+--------+
 *           |  length of what follows (i32, BE) |   at most MAX_BYTES
 *           +--------+--------+--------+--------+
 * </pre>
 */
record AgentFrame(Kind kind, int program, byte[] content) {
  /** More than a class path and an environment take. */
  static final int MAX_BYTES = 1 << 22;

  /** In the order of their numbers: part of the protocol. */
  enum Kind {
    /** Agent: a guest is up and takes orders. Program 0. */
    READY,
    /** To the agent: {@link StartRequest}. */
    START,
    /** Agent: it runs; content is its process id in the guest, in decimal digits. */
    STARTED,
    /** Agent: it could not be started; content is the reason. No other frame follows. */
    REFUSED,
    /** To the agent: bytes for its standard input. Empty: its end. */
    INPUT,
    /** Agent: bytes of its standard output. Empty: its end. */
    OUTPUT,
    /** Agent: bytes of its standard error. Empty: its end. */
    ERRORS,
    /** To the agent: send it this signal; content is its name, as in KILL. */
    SIGNAL,
    /** Agent: it has ended; content is its exit status in decimal digits. */
    EXIT
  }

  private static final Kind[] KINDS = Kind.values();

  AgentFrame {
    if (content.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          kind + " of " + content.length + " bytes, more than " + MAX_BYTES);
    }
  }

  static AgentFrame of(Kind kind, int program, String text) {
    return new AgentFrame(kind, program, text.getBytes(StandardCharsets.UTF_8));
  }

  static AgentFrame end(Kind kind, int program) {
    return new AgentFrame(kind, program, new byte[0]);
  }

  String text() {
    return new String(content, StandardCharsets.UTF_8);
  }

  boolean isEnd() {
    return content.length == 0;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeByte(kind.ordinal());
    out.writeInt(program);
    out.writeInt(content.length);
    out.write(content);
    out.flush();
  }

  /**
   * The next one; empty at the end of the stream.
   *
   * @throws IOException if these are no frames, or the stream ends in the middle of one
   */
  static Optional<AgentFrame> read(DataInputStream in) throws IOException {
    int kind = in.read();
    if (kind < 0) {
      return Optional.empty();
    }
    if (kind >= KINDS.length) {
      throw new IOException("no frame is of kind " + kind);
    }
    int program = in.readInt();
    int lengthBytes = in.readInt();
    if (lengthBytes < 0 || lengthBytes > MAX_BYTES) {
      throw new IOException("a frame of " + lengthBytes + " bytes");
    }
    byte[] content = in.readNBytes(lengthBytes);
    if (content.length < lengthBytes) {
      throw new EOFException("the stream ends within a frame");
    }
    return Optional.of(new AgentFrame(KINDS[kind], program, content));
  }
}
