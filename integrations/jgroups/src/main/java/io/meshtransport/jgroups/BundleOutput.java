// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.SendSlot;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Supplier;
import org.jgroups.util.BaseDataOutputStream;
import org.jgroups.util.ByteArray;
import org.jgroups.util.ByteArrayDataOutputStream;

/**
 * A bundler of JGroups writes a bundle into it: straight into a slot of registered memory, so that
 * no copy is needed. What JGroups then passes on as "the array" is the slot's stand-in ({@link
 * SendSlots#standIn}); {@code MESH} recognizes it in its send methods.
 *
 * <p>A bundle that is longer than a slot, or that finds none free, is written into an array, and
 * copied later by {@link BundleSender}, which also waits. A bundle begins with {@code position(0)}.
 * One thread at a time.
 */
final class BundleOutput extends ByteArrayDataOutputStream {
  /**
   * Where the current bundle is.
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

  private final Supplier<SendSlots> pools;
  private final int arrayBytes;
  private Place place = Place.NOWHERE;

  /** The claimed slot, where it is from and its bytes: only while the bundle is there. */
  private SendSlot slot;

  private SendSlots of;
  private ByteBuffer bytes;

  /**
   * @param arrayBytes of the array, made when it is needed; it grows
   * @param pools called at each bundle's beginning; gives null while MESH is not started
   */
  BundleOutput(int arrayBytes, Supplier<SendSlots> pools) {
    super(0);
    this.pools = pools;
    this.arrayBytes = arrayBytes;
  }

  /**
   * The bundle was sent, or never will be: releases this object's reference, the peers' queues keep
   * theirs.
   */
  void release() {
    pos = 0;
    if (place == Place.SLOT) {
      releaseSlot();
    }
    place = Place.NOWHERE;
  }

  private void releaseSlot() {
    slot.close();
    // The memory of a stopped transport must not stay reachable.
    slot = null;
    of = null;
    bytes = null;
  }

  /**
   * Claims a slot if the bundle has just begun, and moves the bundle into an array if the slot is
   * too short for so many more bytes.
   *
   * @return whether the bytes are to be written into the slot
   */
  private boolean reserve(int count) {
    if (place == Place.NOWHERE) {
      begin();
    }
    if (place == Place.SLOT && count > bytes.capacity() - pos) {
      moveToArray(count);
    }
    return place == Place.SLOT;
  }

  private void begin() {
    SendSlots now = pools.get();
    slot = now == null ? null : now.tryClaim();
    if (slot == null) {
      useArray(0);
      return;
    }
    of = now;
    bytes = slot.bytes();
    place = Place.SLOT;
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
    bytes.get(0, buf, 0, pos);
    releaseSlot();
  }

  /**
   * {@inheritDoc}
   *
   * <p>If the bundle is in a slot, the slot's stand-in.
   */
  @Override
  public byte[] buffer() {
    if (place != Place.SLOT) {
      return super.buffer();
    }
    return of.standIn(slot);
  }

  @Override
  public ByteArray getBuffer() {
    if (place != Place.SLOT) {
      return super.getBuffer();
    }
    byte[] copy = new byte[pos];
    bytes.get(0, copy);
    return new ByteArray(copy, 0, pos);
  }

  @Override
  public ByteBuffer byteBuffer() {
    return place != Place.SLOT ? ByteBuffer.wrap(buf, 0, pos) : bytes.slice(0, pos);
  }

  @Override
  public int capacity() {
    return place != Place.SLOT ? super.capacity() : bytes.capacity();
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
      bytes.put(pos, (byte) value);
      pos += Byte.BYTES;
    } else {
      super.write(value);
    }
  }

  @Override
  public void write(byte[] from, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, from.length);
    if (reserve(length)) {
      bytes.put(pos, from, offset, length);
      pos += length;
    } else {
      super.write(from, offset, length);
    }
  }

  @Override
  public void writeShort(int value) {
    if (reserve(Short.BYTES)) {
      bytes.putShort(pos, (short) value);
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
      bytes.putInt(pos, value);
      pos += Integer.BYTES;
    } else {
      super.writeInt(value);
    }
  }

  @Override
  public void writeLong(long value) {
    if (reserve(Long.BYTES)) {
      bytes.putLong(pos, value);
      pos += Long.BYTES;
    } else {
      super.writeLong(value);
    }
  }
}
