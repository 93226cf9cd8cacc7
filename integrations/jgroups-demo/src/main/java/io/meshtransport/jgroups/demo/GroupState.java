// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.MessageContent;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * A state to transfer: its length, and content that follows from the seed, a block after the other.
 *
 * @param seed the same for who writes and who checks
 */
record GroupState(long seed) {
  private static final int BLOCK_BYTES = 1 << 16;

  void write(long lengthBytes, OutputStream stream) throws IOException {
    DataOutputStream out = new DataOutputStream(stream);
    out.writeLong(lengthBytes);
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    for (long done = 0; done < lengthBytes; done += BLOCK_BYTES) {
      int length = (int) Math.min(BLOCK_BYTES, lengthBytes - done);
      content().fill(block, 0, length, done / BLOCK_BYTES);
      out.write(block.array(), 0, length);
    }
    out.flush();
  }

  /**
   * Reads it, and looks at every byte.
   *
   * @return its length
   * @throws IOException if it ends early, or a byte is wrong
   */
  long check(InputStream stream) throws IOException {
    DataInputStream in = new DataInputStream(stream);
    long lengthBytes = in.readLong();
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    for (long done = 0; done < lengthBytes; done += BLOCK_BYTES) {
      int length = (int) Math.min(BLOCK_BYTES, lengthBytes - done);
      in.readFully(block.array(), 0, length);
      long wrong = content().firstWrongByte(block, 0, length, done / BLOCK_BYTES);
      if (wrong != MessageContent.NONE) {
        throw new IOException("byte " + (done + wrong) + " of the state is wrong");
      }
    }
    return lengthBytes;
  }

  private MessageContent content() {
    return new MessageContent(seed, "state", MemberCommand.Batch.EVERYONE);
  }
}
