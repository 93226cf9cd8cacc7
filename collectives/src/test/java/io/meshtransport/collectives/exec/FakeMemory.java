// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Memory of one rank that other ranks of the same test write to. */
public final class FakeMemory implements RegisteredMemory, RemoteMemory {
  final ByteBuffer bytes;

  public FakeMemory(long lengthBytes) {
    bytes = ByteBuffer.allocateDirect((int) lengthBytes).order(ByteOrder.nativeOrder());
  }

  @Override
  public long lengthBytes() {
    return bytes.capacity();
  }

  @Override
  public boolean allows(RemoteAccess access) {
    return access == RemoteAccess.PUT;
  }

  @Override
  public List<ByteBuffer> segments() {
    return List.of(bytes);
  }

  @Override
  public long address() {
    throw new UnsupportedOperationException();
  }

  @Override
  public byte[] remoteKey() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
