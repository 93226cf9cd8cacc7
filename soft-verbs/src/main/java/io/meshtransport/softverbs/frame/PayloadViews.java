// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A list of buffer views for one gathering write or scattering read. {@link #clear} releases the
 * views of registered memory. Guarded by the device's lock; grows while warming up, then allocates
 * nothing.
 */
public final class PayloadViews {
  private static final int FIRST_SIZE = 2;

  /** Two views for each of 32 frames in one write. */
  private static final int SECOND_SIZE = 64;

  /** Up to this, moving words costs less than calling the JVM's copying routine. */
  private static final int SHORT_BYTES = 64;

  private ByteBuffer[] buffers = new ByteBuffer[FIRST_SIZE];
  private MemorySegment[] owners = new MemorySegment[FIRST_SIZE];
  private int first;
  private int count;

  /**
   * For {@code write} and {@code read} of a channel, together with {@link #first} and {@link
   * #size}.
   */
  public ByteBuffer[] buffers() {
    return buffers;
  }

  /** Index of the first buffer that has something left. */
  public int first() {
    return first;
  }

  /** Buffers from {@link #first} on. */
  public int size() {
    return count - first;
  }

  public ByteBuffer get(int index) {
    return buffers[index];
  }

  /** Adds a buffer that stays the caller's. */
  public void add(ByteBuffer own) {
    add(own, null);
  }

  /** Adds a buffer that is released to its owner afterwards. */
  public void add(ByteBuffer view, MemorySegment owner) {
    if (count == buffers.length) {
      int size = Math.max(SECOND_SIZE, 2 * count);
      buffers = Arrays.copyOf(buffers, size);
      owners = Arrays.copyOf(owners, size);
    }
    buffers[count] = view;
    owners[count++] = owner;
  }

  public void removeLast() {
    count--;
    release(count);
  }

  /** Moves {@link #first} past what is done; returns whether nothing is left. */
  public boolean skipDone() {
    while (first < count && !buffers[first].hasRemaining()) {
      first++;
    }
    return first == count;
  }

  /** Copies from {@code source} until it is empty or these buffers are full. */
  public void copyFrom(ByteBuffer source) {
    while (source.hasRemaining() && !skipDone()) {
      copyPiece(source, buffers[first]);
    }
  }

  /** Whether something that is not done lies in that memory. */
  public boolean touches(SegmentOwner memory) {
    for (int i = first; i < count; i++) {
      if (owners[i] != null && memory.owns(owners[i])) {
        return true;
      }
    }
    return false;
  }

  /** Replaces what is not done and has an owner by copies. */
  public void copyViews() {
    for (int i = first; i < count; i++) {
      if (owners[i] != null) {
        ByteBuffer copy = ByteBuffer.allocateDirect(buffers[i].remaining()).put(buffers[i]).flip();
        release(i);
        buffers[i] = copy;
      }
    }
  }

  /** Copies all of it to an absolute position of a buffer; answers how many bytes that was. */
  public int copyTo(ByteBuffer target, int at) {
    int end = at;
    for (int i = first; i < count; i++) {
      int pieceBytes = buffers[i].remaining();
      copy(buffers[i], buffers[i].position(), target, end, pieceBytes);
      end += pieceBytes;
    }
    return end - at;
  }

  /** Moves everything to the other list, the duty to release too. */
  public void moveTo(PayloadViews other) {
    for (int i = 0; i < count; i++) {
      other.add(buffers[i], owners[i]);
      buffers[i] = null;
      owners[i] = null;
    }
    first = 0;
    count = 0;
  }

  private static void copyPiece(ByteBuffer source, ByteBuffer target) {
    int pieceBytes = Math.min(source.remaining(), target.remaining());
    copy(source, source.position(), target, target.position(), pieceBytes);
    target.position(target.position() + pieceBytes);
    source.position(source.position() + pieceBytes);
  }

  /** Copies between absolute positions. */
  private static void copy(ByteBuffer source, int from, ByteBuffer target, int to, int bytes) {
    if (bytes > SHORT_BYTES || source.order() != target.order()) {
      target.put(to, source, from, bytes);
      return;
    }
    int done = 0;
    for (; done <= bytes - Long.BYTES; done += Long.BYTES) {
      target.putLong(to + done, source.getLong(from + done));
    }
    for (; done < bytes; done++) {
      target.put(to + done, source.get(from + done));
    }
  }

  public void clear() {
    for (int i = 0; i < count; i++) {
      release(i);
    }
    first = 0;
    count = 0;
  }

  private void release(int index) {
    if (owners[index] != null) {
      owners[index].release(buffers[index]);
      owners[index] = null;
    }
    buffers[index] = null;
  }
}
