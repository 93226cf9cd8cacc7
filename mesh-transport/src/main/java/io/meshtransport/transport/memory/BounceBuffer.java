// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Registered memory through which an unregistered buffer is copied: before it leaves, or after it
 * has come. Belongs to one request at a time, under its channel's lock.
 */
final class BounceBuffer implements Retained {
  private final Consumer<BounceBuffer> onRelease;
  private final MeshMemory memory;

  /** Whole: each from 0 to its capacity. */
  private final ByteBuffer[] segments;

  private ByteBuffer target;
  private int targetAt;
  private boolean isReceiving;

  /**
   * @param onRelease gets it when its request is over
   */
  BounceBuffer(Consumer<BounceBuffer> onRelease, MeshMemory memory) {
    this.onRelease = onRelease;
    this.memory = memory;
    segments = memory.segments().toArray(new ByteBuffer[0]);
  }

  long lengthBytes() {
    return memory.lengthBytes();
  }

  @Override
  public MeshMemory memory() {
    return memory;
  }

  /** What it was taken for; guarded by its owner. */
  boolean isReceiving() {
    return isReceiving;
  }

  void isReceiving(boolean isNow) {
    isReceiving = isNow;
  }

  /** Takes what lies between a buffer's position and limit. */
  void copyFrom(ByteBuffer source) {
    int doneBytes = 0;
    for (int i = 0; doneBytes < source.remaining(); i++) {
      int pieceBytes = Math.min(segments[i].capacity(), source.remaining() - doneBytes);
      segments[i].put(0, source, source.position() + doneBytes, pieceBytes);
      doneBytes += pieceBytes;
    }
  }

  /** What comes goes to a buffer, from its position of now on. */
  void deliverTo(ByteBuffer buffer) {
    target = buffer;
    targetAt = buffer.position();
  }

  @Override
  public void arrived(long lengthBytes) {
    if (target != null) {
      // Its limit may have been moved since: only its capacity counts, which the receive fitted.
      int limit = target.limit();
      target.limit(target.capacity());
      int doneBytes = 0;
      for (int i = 0; doneBytes < lengthBytes; i++) {
        int pieceBytes = (int) Math.min(segments[i].capacity(), lengthBytes - doneBytes);
        target.put(targetAt + doneBytes, segments[i], 0, pieceBytes);
        doneBytes += pieceBytes;
      }
      target.limit(limit);
      target = null;
    }
  }

  @Override
  public void release() {
    target = null;
    onRelease.accept(this);
  }
}
