package io.meshtransport.softverbs;

/** The posted receives of a queue pair, oldest first. Guarded by the device's lock. */
final class ReceiveQueue extends WorkQueue {
  private final ReceiveRequest[] slots;

  ReceiveQueue(int depth, int sgeCapacity) {
    super(depth);
    slots = new ReceiveRequest[depth];
    for (int i = 0; i < depth; i++) {
      slots[i] = new ReceiveRequest(sgeCapacity);
    }
  }

  void add(ReceiveRequest request) {
    slots[index(take())].copyFrom(request);
  }

  ReceiveRequest oldest() {
    return slots[index(head())];
  }
}
