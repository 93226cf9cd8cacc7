// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendOpcode;

/** A chain of send requests. Confined to one thread at a time. */
final class SoftSendChain implements SendChain {
  private final SendRequest[] requests;
  private final int sgeCapacity;
  private int size;
  private int refusedIndex;

  SoftSendChain(int capacity, int sgeCapacity) {
    requests = new SendRequest[capacity];
    this.sgeCapacity = sgeCapacity;
  }

  SendRequest get(int index) {
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
  public void begin(long id, SendOpcode opcode, int flags) {
    if (size == requests.length) {
      throw new IllegalStateException(
          "the chain is full with " + size + " requests; post it first");
    }
    if (requests[size] == null) {
      requests[size] = new SendRequest(sgeCapacity);
    }
    requests[size++].begin(id, opcode, flags);
  }

  @Override
  public void sge(long address, int lengthBytes, int localKey) {
    last().sges.add(address, lengthBytes, localKey);
  }

  @Override
  public void remote(long address, int remoteKey) {
    SendRequest request = last();
    request.remoteAddress = address;
    request.remoteKey = remoteKey;
  }

  @Override
  public void immediate(int value) {
    last().immediate = value;
  }

  @Override
  public void atomic(long compareOrAdd, long swap) {
    SendRequest request = last();
    request.compareOrAdd = compareOrAdd;
    request.swap = swap;
  }

  @Override
  public int refusedIndex() {
    return refusedIndex;
  }

  private SendRequest last() {
    if (size == 0) {
      throw new IllegalStateException("begin a request before describing it");
    }
    return requests[size - 1];
  }
}
