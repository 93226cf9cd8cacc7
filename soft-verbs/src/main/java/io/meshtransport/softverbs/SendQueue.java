package io.meshtransport.softverbs;

import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;

/**
 * The posted sends of a queue pair, oldest first, and the payload of those that are inline. Guarded
 * by the device's lock.
 */
final class SendQueue extends WorkQueue {
  private final SendRequest[] slots;
  private final int inlineLimitBytes;
  private final MemorySegment inlineMemory;
  private final PayloadViews source = new PayloadViews();

  SendQueue(int depth, int sgeCapacity, int inlineLimitBytes) {
    super(depth);
    this.inlineLimitBytes = inlineLimitBytes;
    this.inlineMemory = new MemorySegment(ByteBuffer.allocateDirect(depth * inlineLimitBytes), 0);
    slots = new SendRequest[depth];
    for (int i = 0; i < depth; i++) {
      slots[i] = new SendRequest(sgeCapacity);
    }
  }

  SendRequest at(long slot) {
    return slots[index(slot)];
  }

  SendRequest oldest() {
    return at(head());
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
    slots[index(take())].copyFrom(request);
    return true;
  }

  private boolean copyInline(SendRequest request, MemoryKeys regions, SoftProtectionDomain domain) {
    int bytes = (int) request.sges.totalBytes();
    boolean found = request.sges.lend(regions, domain, 0, 0, bytes, source);
    ByteBuffer target = inlineMemory.lend(inlineAt(tail()), bytes);
    for (int i = 0; found && i < source.size(); i++) {
      target.put(source.get(i));
    }
    inlineMemory.giveBack(target);
    source.clear();
    return found;
  }

  /** Adds a view of the inline payload of a slot. */
  void lendInline(long slot, int bytes, PayloadViews views) {
    views.add(inlineMemory.lend(inlineAt(slot), bytes), inlineMemory);
  }

  private int inlineAt(long slot) {
    return index(slot) * inlineLimitBytes;
  }
}
