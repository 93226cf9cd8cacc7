// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Supplier;
import org.jgroups.util.BaseDataOutputStream;
import org.jgroups.util.ByteArray;
import org.jgroups.util.ByteArrayDataOutputStream;

/**
 * Where a bundler of JGroups writes a bundle: straight into a slot of registered memory, so that
 * nobody copies it there. What JGroups then hands from method to method as "the array" is the
 * slot's stand-in ({@link SendBufferPool#standIn}); {@code MESH} knows it when it comes by.
 *
 * <p>A bundle that is longer than a slot, or that meets no free one, goes into an array after all,
 * and is copied later, by {@link BundleSender}, which also waits for a slot. A bundle begins with
 * {@code position(0)}. One thread at a time.
 */
public final class BundleOutput extends ByteArrayDataOutputStream {
  /**
   * Where the bundle is that is being written.
   *
   * <pre>
   * NOWHERE -> SLOT -> ARRAY
   *    |                 ^
   *    +-----------------+        any -> NOWHERE
   * </pre>
   */
  private enum Place {
    /** Nothing is written yet. */
    NOWHERE,
    SLOT,
    ARRAY
  }

  private final Supplier<SendBufferPool> pools;
  private final int arrayBytes;
  private Place place = Place.NOWHERE;

  /** The held slot, its pool and its bytes: only while the bundle is there. */
  private int slot = SendBufferPool.NONE;

  private SendBufferPool pool;
  private ByteBuffer bytes;

  /**
   * @param arrayBytes of the array, made when one is wanted; it grows
   * @param pools asked at each bundle's beginning; null from it means that MESH is not started
   */
  public BundleOutput(int arrayBytes, Supplier<SendBufferPool> pools) {
    super(0);
    this.pools = pools;
    this.arrayBytes = arrayBytes;
  }

  /** The bundle was sent, or never will be: the slot is whose the links are that took it. */
  public void release() {
    pos = 0;
    if (place == Place.SLOT) {
      releaseBuffer();
    }
    place = Place.NOWHERE;
  }

  private void releaseBuffer() {
    pool.release(slot);
    // Those of a transport that is stopped are not kept alive.
    pool = null;
    bytes = null;
  }

  /**
   * Takes a slot if the bundle has just begun, and moves the bundle into an array if so many bytes
   * more are too many for the slot.
   *
   * @return whether they belong into the slot
   */
  private boolean reserve(int count) {
    if (place == Place.NOWHERE) {
      begin();
    }
    if (place == Place.SLOT && count > bytes.capacity() - BundleHeader.HEADER_BYTES - pos) {
      moveToArray(count);
    }
    return place == Place.SLOT;
  }

  private void begin() {
    SendBufferPool now = pools.get();
    slot = now == null ? SendBufferPool.NONE : now.tryAcquire();
    if (slot == SendBufferPool.NONE) {
      useArray(0);
      return;
    }
    pool = now;
    bytes = pool.bytes(slot);
    place = Place.SLOT;
  }

  private void useArray(int atLeastBytes) {
    if (buf.length < Math.max(arrayBytes, atLeastBytes)) {
      buf = new byte[Math.max(arrayBytes, atLeastBytes)];
    }
    place = Place.ARRAY;
  }

  /** At the bundle's end: what is written over in its middle is in the slot already. */
  private void moveToArray(int more) {
    useArray(Math.addExact(pos, more));
    bytes.get(BundleHeader.HEADER_BYTES, buf, 0, pos);
    releaseBuffer();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Here: if the bundle is in a slot, the slot's stand-in, and the slot is ready to be sent.
   */
  @Override
  public byte[] buffer() {
    if (place != Place.SLOT) {
      return super.buffer();
    }
    BundleHeader.put(bytes, BundleHeader.BUNDLE, pos, 0);
    return pool.standIn(slot);
  }

  @Override
  public ByteArray getBuffer() {
    if (place != Place.SLOT) {
      return super.getBuffer();
    }
    byte[] copy = new byte[pos];
    bytes.get(BundleHeader.HEADER_BYTES, copy);
    return new ByteArray(copy, 0, pos);
  }

  @Override
  public ByteBuffer byteBuffer() {
    return place != Place.SLOT
        ? ByteBuffer.wrap(buf, 0, pos)
        : bytes.slice(BundleHeader.HEADER_BYTES, pos);
  }

  @Override
  public int capacity() {
    return place != Place.SLOT ? super.capacity() : bytes.capacity() - BundleHeader.HEADER_BYTES;
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
    if (place != Place.SLOT) {
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
