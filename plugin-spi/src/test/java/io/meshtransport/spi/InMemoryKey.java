// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/**
 * Memory of a node of this JVM, found by a number that travels as bytes: number (u64), CRC32 (u32).
 *
 * @param memory which may be closed by now
 */
record InMemoryKey(InMemoryMemory memory) implements RemoteMemory {
  private static final AtomicLong NEXT = new AtomicLong(1);
  private static final Map<Long, InMemoryMemory> BY_NUMBER = new ConcurrentHashMap<>();

  static byte[] encode(InMemoryMemory memory) {
    long number = NEXT.getAndIncrement();
    BY_NUMBER.put(number, memory);
    ByteBuffer key = ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putLong(number);
    return key.putInt(crc(key.array())).array();
  }

  static InMemoryKey decode(byte[] key) throws TransportException {
    if (key.length != Long.BYTES + Integer.BYTES
        || ByteBuffer.wrap(key).getInt(Long.BYTES) != crc(key)) {
      throw new TransportException(Reason.BAD_HANDLE, "these bytes are no key");
    }
    return new InMemoryKey(BY_NUMBER.get(ByteBuffer.wrap(key).getLong()));
  }

  private static int crc(byte[] key) {
    CRC32 crc = new CRC32();
    crc.update(key, 0, Long.BYTES);
    return (int) crc.getValue();
  }

  void check(RemoteAccess wanted, long offsetBytes, long roomBytes) {
    if (!allows(wanted)) {
      throw new IllegalArgumentException("registered without " + wanted);
    }
    memory.checkBounds(offsetBytes, roomBytes);
  }

  @Override
  public long lengthBytes() {
    return memory.lengthBytes();
  }

  @Override
  public boolean allows(RemoteAccess access) {
    return memory.access().contains(access);
  }
}
