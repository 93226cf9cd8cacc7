// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.ReceiveChain;

/** A chain of receive requests. Confined to one thread at a time. */
final class SoftReceiveChain implements ReceiveChain {
  private final ReceiveRequest[] requests;
  private final int sgeCapacity;
  private int size;
  private int refusedIndex;

  SoftReceiveChain(int capacity, int sgeCapacity) {
    requests = new ReceiveRequest[capacity];
    this.sgeCapacity = sgeCapacity;
  }

  ReceiveRequest get(int index) {
    return requests[index];
  }

  void refusedIndex(int index) {
    refusedIndex = index;
  }

  @Override
  public int capacity() {
    return requests.length;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void clear() {
    size = 0;
  }

  @Override
  public void begin(long id) {
    if (size == requests.length) {
      throw new IllegalStateException(
          "the chain is full with " + size + " requests; post it first");
    }
    if (requests[size] == null) {
      requests[size] = new ReceiveRequest(sgeCapacity);
    }
    requests[size++].begin(id);
  }

  @Override
  public void sge(long address, int lengthBytes, int localKey) {
    if (size == 0) {
      throw new IllegalStateException("begin a request before describing it");
    }
    requests[size - 1].sges.add(address, lengthBytes, localKey);
  }

  @Override
  public int refusedIndex() {
    return refusedIndex;
  }
}
