// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.MemorySegment;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;

/**
 * The posted sends of a queue pair, oldest first, and the payload of those that are inline. Guarded
 * by the device's lock.
 */
final class SendQueue extends WorkQueue<SendRequest> {
  private final int sgeCapacity;
  private final int inlineLimitBytes;
  private final PayloadViews source = new PayloadViews();

  /** The inline payload of each slot; allocated with the first inline request. */
  private MemorySegment inlineMemory;

  SendQueue(int depth, int sgeCapacity, int inlineLimitBytes) {
    super(depth);
    this.sgeCapacity = sgeCapacity;
    this.inlineLimitBytes = inlineLimitBytes;
  }

  @Override
  SendRequest newRequest() {
    return new SendRequest(sgeCapacity);
  }

  /**
   * Copies a request into the next slot, and its payload if it is inline.
   *
   * @return false, with nothing queued, if inline payload is not registered. Hardware would read it
   *     by its virtual address without a key; a soft region can only be found by its key.
   */
  boolean add(SendRequest request, MemoryKeys regions, SoftProtectionDomain domain) {
    if (request.has(SendFlags.INLINE) && !copyInline(request, regions, domain)) {
      return false;
    }
    claim().copyFrom(request);
    return true;
  }

  private boolean copyInline(SendRequest request, MemoryKeys regions, SoftProtectionDomain domain) {
    int bytes = (int) request.sges.totalBytes();
    boolean found = request.sges.addViews(regions, domain, 0, 0, bytes, source);
    if (inlineMemory == null) {
      inlineMemory = new MemorySegment(ByteBuffer.allocateDirect(depth() * inlineLimitBytes), 0);
    }
    ByteBuffer target = inlineMemory.acquire(inlineAt(tail()), bytes);
    for (int i = 0; found && i < source.size(); i++) {
      target.put(source.get(i));
    }
    inlineMemory.release(target);
    source.clear();
    return found;
  }

  /** Adds a view of the inline payload of a slot. */
  void addInlineView(long slot, int bytes, PayloadViews views) {
    views.add(inlineMemory.acquire(inlineAt(slot), bytes), inlineMemory);
  }

  private int inlineAt(long slot) {
    return (int) (slot % depth()) * inlineLimitBytes;
  }
}
