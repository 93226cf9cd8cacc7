// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Supplier;
import org.jgroups.util.BaseDataOutputStream;
import org.jgroups.util.ByteArray;
import org.jgroups.util.ByteArrayDataOutputStream;

/**
 * A bundler of JGroups writes a bundle into it: straight into a buffer of registered memory, so
 * that no copy is needed. What JGroups then passes on as "the array" is the buffer's stand-in
 * ({@link SendBufferPool#standIn}); {@code MESH} recognizes it in its send methods.
 *
 * <p>A bundle that is longer than a buffer, or that finds none free, is written into an array, and
 * copied later by {@link BundleSender}, which also waits for a buffer. A bundle begins with {@code
 * position(0)}. One thread at a time.
 */
public final class BundleOutput extends ByteArrayDataOutputStream {
  /**
   * Where the current bundle is.
   *
   * <pre>
   * NOWHERE -> BUFFER -> ARRAY
   *    |                 ^
   *    +-----------------+        any -> NOWHERE
   * </pre>
   */
  private enum Place {
    /** Nothing is written yet. */
    NOWHERE,
    BUFFER,
    ARRAY
  }

  private final Supplier<SendBufferPool> pools;
  private final int arrayBytes;
  private Place place = Place.NOWHERE;

  /** The acquired buffer, its pool and its bytes: only while the bundle is there. */
  private int buffer = SendBufferPool.NONE;

  private SendBufferPool pool;
  private ByteBuffer bytes;

  /**
   * @param arrayBytes of the array, made when it is needed; it grows
   * @param pools called at each bundle's beginning; gives null while MESH is not started
   */
  public BundleOutput(int arrayBytes, Supplier<SendBufferPool> pools) {
    super(0);
    this.pools = pools;
    this.arrayBytes = arrayBytes;
  }

  /**
   * The bundle was sent, or never will be: releases this object's reference, the links keep theirs.
   */
  public void release() {
    pos = 0;
    if (place == Place.BUFFER) {
      releaseBuffer();
    }
    place = Place.NOWHERE;
  }

  private void releaseBuffer() {
    pool.release(buffer);
    // The memory of a stopped transport must not stay reachable.
    pool = null;
    bytes = null;
  }

  /**
   * Acquires a buffer if the bundle has just begun, and moves the bundle into an array if the
   * buffer is too short for so many more bytes.
   *
   * @return whether the bytes are to be written into the buffer
   */
  private boolean reserve(int count) {
    if (place == Place.NOWHERE) {
      begin();
    }
    if (place == Place.BUFFER && count > bytes.capacity() - BundleHeader.HEADER_BYTES - pos) {
      moveToArray(count);
    }
    return place == Place.BUFFER;
  }

  private void begin() {
    SendBufferPool now = pools.get();
    buffer = now == null ? SendBufferPool.NONE : now.tryAcquire();
    if (buffer == SendBufferPool.NONE) {
      useArray(0);
      return;
    }
    pool = now;
    bytes = pool.bytes(buffer);
    place = Place.BUFFER;
  }

  private void useArray(int atLeastBytes) {
    if (buf.length < Math.max(arrayBytes, atLeastBytes)) {
      buf = new byte[Math.max(arrayBytes, atLeastBytes)];
    }
    place = Place.ARRAY;
  }

  /**
   * Called at the bundle's end only: JGroups overwrites bytes in the middle, and those are in place
   * already.
   */
  private void moveToArray(int more) {
    useArray(Math.addExact(pos, more));
    bytes.get(BundleHeader.HEADER_BYTES, buf, 0, pos);
    releaseBuffer();
  }

  /**
   * {@inheritDoc}
   *
   * <p>If the bundle is in a buffer, the buffer's stand-in, and the buffer is ready to be sent.
   */
  @Override
  public byte[] buffer() {
    if (place != Place.BUFFER) {
      return super.buffer();
    }
    BundleHeader.put(bytes, BundleHeader.BUNDLE, pos, 0);
    return pool.standIn(buffer);
  }

  @Override
  public ByteArray getBuffer() {
    if (place != Place.BUFFER) {
      return super.getBuffer();
    }
    byte[] copy = new byte[pos];
    bytes.get(BundleHeader.HEADER_BYTES, copy);
    return new ByteArray(copy, 0, pos);
  }

  @Override
  public ByteBuffer byteBuffer() {
    return place != Place.BUFFER
        ? ByteBuffer.wrap(buf, 0, pos)
        : bytes.slice(BundleHeader.HEADER_BYTES, pos);
  }

  @Override
  public int capacity() {
    return place != Place.BUFFER ? super.capacity() : bytes.capacity() - BundleHeader.HEADER_BYTES;
  }

  @Override
  public BaseDataOutputStream position(int position) {
    if (position == 0) {
      release();
      return this;
    }
    return super.position(position);
  }

  @Override
  protected int checkBounds(int position) {
    if (place != Place.BUFFER) {
      return super.checkBounds(position);
    }
    return Objects.checkIndex(position, capacity() + 1);
  }

  @Override
  public void ensureCapacity(int count) {
    if (!reserve(count)) {
      super.ensureCapacity(count);
    }
  }

  @Override
  public void write(int value) {
    if (reserve(Byte.BYTES)) {
      bytes.put(BundleHeader.HEADER_BYTES + pos, (byte) value);
      pos += Byte.BYTES;
    } else {
      super.write(value);
    }
  }

  @Override
  public void write(byte[] from, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, from.length);
    if (reserve(length)) {
      bytes.put(BundleHeader.HEADER_BYTES + pos, from, offset, length);
      pos += length;
    } else {
      super.write(from, offset, length);
    }
  }

  @Override
  public void writeShort(int value) {
    if (reserve(Short.BYTES)) {
      bytes.putShort(BundleHeader.HEADER_BYTES + pos, (short) value);
      pos += Short.BYTES;
    } else {
      super.writeShort(value);
    }
  }

  @Override
  public void writeChar(int value) {
    writeShort(value);
  }

  @Override
  public void writeInt(int value) {
    if (reserve(Integer.BYTES)) {
      bytes.putInt(BundleHeader.HEADER_BYTES + pos, value);
      pos += Integer.BYTES;
    } else {
      super.writeInt(value);
    }
  }

  @Override
  public void writeLong(long value) {
    if (reserve(Long.BYTES)) {
      bytes.putLong(BundleHeader.HEADER_BYTES + pos, value);
      pos += Long.BYTES;
    } else {
      super.writeLong(value);
    }
  }
}
