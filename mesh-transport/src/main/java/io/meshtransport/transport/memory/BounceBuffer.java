// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import java.nio.ByteBuffer;

/**
 * Registered memory through which an unregistered buffer is copied: before it leaves, or after it
 * has come. Belongs to one request at a time, under its channel's lock.
 */
final class BounceBuffer implements Retained {
  private final BounceBufferPool owner;
  private final MeshMemory memory;
  private final ByteBuffer bytes;
  private ByteBuffer target;
  private int targetAt;
  private boolean isReceiving;

  BounceBuffer(BounceBufferPool owner, MeshMemory memory) {
    this.owner = owner;
    this.memory = memory;
    bytes = memory.segments().get(0);
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
    bytes.put(0, source, source.position(), source.remaining());
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
      target.limit(target.capacity()).put(targetAt, bytes, 0, (int) lengthBytes);
      target.limit(limit);
      target = null;
    }
  }

  @Override
  public void release() {
    target = null;
    owner.giveBack(this);
  }
}
