// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Writes into a {@link ByteQueue}: a pipe within this process. */
final class QueueOutput extends OutputStream {
  private final ByteQueue queue;

  QueueOutput(ByteQueue queue) {
    this.queue = queue;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    try {
      queue.put(Arrays.copyOfRange(source, offset, offset + length));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
