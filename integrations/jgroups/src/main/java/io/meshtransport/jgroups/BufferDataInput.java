// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Reads straight from a posted receive's memory. JGroups copies payloads out of it and wraps it as
 * a stream where it meets a serialized object, hence both faces. Confined to the session's thread.
 */
final class BufferDataInput extends InputStream implements DataInput {
  private final ByteBuffer bytes;

  /**
   * @param bytes read from its position to its limit, which move
   */
  BufferDataInput(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  private void require(int count) throws EOFException {
    if (count > bytes.remaining()) {
      throw new EOFException(
          "the message ends "
              + (count - bytes.remaining())
              + " bytes short of the field at byte "
              + bytes.position());
    }
  }

  @Override
  public int read() {
    return bytes.hasRemaining() ? bytes.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    int count = Math.min(length, bytes.remaining());
    if (count == 0) {
      return -1;
    }
    bytes.get(into, offset, count);
    return count;
  }

  @Override
  public long skip(long count) {
    int skipped = (int) Math.max(0, Math.min(count, bytes.remaining()));
    bytes.position(bytes.position() + skipped);
    return skipped;
  }

  @Override
  public int available() {
    return bytes.remaining();
  }

  @Override
  public void readFully(byte[] into) throws EOFException {
    readFully(into, 0, into.length);
  }

  @Override
  public void readFully(byte[] into, int offset, int length) throws EOFException {
    Objects.checkFromIndexSize(offset, length, into.length);
    require(length);
    bytes.get(into, offset, length);
  }

  @Override
  public int skipBytes(int count) {
    return (int) skip(count);
  }

  @Override
  public boolean readBoolean() throws EOFException {
    return readByte() != 0;
  }

  @Override
  public byte readByte() throws EOFException {
    require(Byte.BYTES);
    return bytes.get();
  }

  @Override
  public int readUnsignedByte() throws EOFException {
    return readByte() & 0xff;
  }

  @Override
  public short readShort() throws EOFException {
    require(Short.BYTES);
    return bytes.getShort();
  }

  @Override
  public int readUnsignedShort() throws EOFException {
    return readShort() & 0xffff;
  }

  @Override
  public char readChar() throws EOFException {
    return (char) readShort();
  }

  @Override
  public int readInt() throws EOFException {
    require(Integer.BYTES);
    return bytes.getInt();
  }

  @Override
  public long readLong() throws EOFException {
    require(Long.BYTES);
    return bytes.getLong();
  }

  @Override
  public float readFloat() throws EOFException {
    return Float.intBitsToFloat(readInt());
  }

  @Override
  public double readDouble() throws EOFException {
    return Double.longBitsToDouble(readLong());
  }

  @Override
  public String readLine() throws IOException {
    if (!bytes.hasRemaining()) {
      return null;
    }
    StringBuilder line = new StringBuilder();
    int next = read();
    while (next >= 0 && next != '\n' && next != '\r') {
      line.append((char) next);
      next = read();
    }
    if (next == '\r' && bytes.hasRemaining() && bytes.get(bytes.position()) == '\n') {
      read();
    }
    return line.toString();
  }

  @Override
  public String readUTF() throws IOException {
    return DataInputStream.readUTF(this);
  }
}
