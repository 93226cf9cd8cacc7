// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteBuffer;
import java.util.List;

/** A buffer, registered nowhere. */
final class PlainMemory implements RegisteredMemory {
  private final ByteBuffer buffer;
  volatile boolean closed;

  /** What is to happen whenever it is closed, once it is. */
  volatile Runnable onClose = () -> {};

  PlainMemory(ByteBuffer buffer) {
    this.buffer = buffer;
  }

  @Override
  public long lengthBytes() {
    return buffer.capacity();
  }

  @Override
  public List<ByteBuffer> segments() {
    return List.of(buffer);
  }

  @Override
  public long address() {
    throw new UnsupportedOperationException("no test needs it");
  }

  @Override
  public byte[] remoteKey() {
    throw new IllegalStateException("registered nowhere");
  }

  @Override
  public void close() {
    closed = true;
    onClose.run();
  }
}
