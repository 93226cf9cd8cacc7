// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/** The posted receives of a queue pair, oldest first. Guarded by the device's lock. */
final class ReceiveQueue extends WorkQueue<ReceiveRequest> {
  private final int sgeCapacity;

  ReceiveQueue(int depth, int sgeCapacity) {
    super(depth);
    this.sgeCapacity = sgeCapacity;
  }

  @Override
  ReceiveRequest newRequest() {
    return new ReceiveRequest(sgeCapacity);
  }

  void add(ReceiveRequest request) {
    claim().copyFrom(request);
  }
}
