// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;

/**
 * One send work request: first as a caller describes it in a chain, then as a slot of the send
 * queue. Used again and again.
 */
final class SendRequest {
  private static final CompletionOpcode[] REPORTED_AS = new CompletionOpcode[8];

  static {
    REPORTED_AS[SendOpcode.RDMA_WRITE.ordinal()] = CompletionOpcode.RDMA_WRITE;
    REPORTED_AS[SendOpcode.RDMA_WRITE_WITH_IMM.ordinal()] = CompletionOpcode.RDMA_WRITE;
    REPORTED_AS[SendOpcode.SEND.ordinal()] = CompletionOpcode.SEND;
    REPORTED_AS[SendOpcode.SEND_WITH_IMM.ordinal()] = CompletionOpcode.SEND;
    REPORTED_AS[SendOpcode.RDMA_READ.ordinal()] = CompletionOpcode.RDMA_READ;
    REPORTED_AS[SendOpcode.ATOMIC_COMPARE_AND_SWAP.ordinal()] = CompletionOpcode.COMPARE_AND_SWAP;
    REPORTED_AS[SendOpcode.ATOMIC_FETCH_AND_ADD.ordinal()] = CompletionOpcode.FETCH_AND_ADD;
  }

  long id;
  SendOpcode opcode;
  int flags;
  long remoteAddress;
  int remoteKey;
  int immediate;
  long compareOrAdd;
  long swap;
  final SgeList sges;

  /** Why it cannot be carried out here, or null. */
  CompletionStatus localFailure;

  /** For reads and atomics: how many bytes of the response have come. */
  int responseBytes;

  /** For reads and atomics: whether all of the response has come. */
  boolean isAnswered;

  /** How often the peer had no receive for it. */
  int rnrCount;

  SendRequest(int sgeCapacity) {
    sges = new SgeList(sgeCapacity);
  }

  void begin(long newId, SendOpcode newOpcode, int newFlags) {
    id = newId;
    opcode = newOpcode;
    flags = newFlags;
    remoteAddress = 0;
    remoteKey = 0;
    immediate = 0;
    compareOrAdd = 0;
    swap = 0;
    sges.clear();
  }

  void copyFrom(SendRequest other) {
    begin(other.id, other.opcode, other.flags);
    remoteAddress = other.remoteAddress;
    remoteKey = other.remoteKey;
    immediate = other.immediate;
    compareOrAdd = other.compareOrAdd;
    swap = other.swap;
    sges.copyFrom(other.sges);
    localFailure = null;
    rnrCount = 0;
    resetResponse();
  }

  /** It is sent again: what came of its response so far is discarded. */
  void resetResponse() {
    responseBytes = 0;
    isAnswered = false;
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  boolean isSignaled() {
    return has(SendFlags.SIGNALED);
  }

  boolean isAtomic() {
    return opcode == SendOpcode.ATOMIC_COMPARE_AND_SWAP
        || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD;
  }

  /** Whether it ends with a response of the peer, which stores to local memory. */
  boolean awaitsResponse() {
    return opcode == SendOpcode.RDMA_READ || isAtomic();
  }

  boolean isWrite() {
    return opcode == SendOpcode.RDMA_WRITE || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
  }

  boolean hasImmediate() {
    return opcode == SendOpcode.RDMA_WRITE_WITH_IMM || opcode == SendOpcode.SEND_WITH_IMM;
  }

  CompletionOpcode reportedAs() {
    return REPORTED_AS[opcode.ordinal()];
  }

  /** Whether the contents can be posted at all, whatever the queue's state. */
  boolean isWellFormed(int inlineLimitBytes) {
    if (sges.isOverfull() || isAtomic() && sges.totalBytes() != Long.BYTES) {
      return false;
    }
    return !has(SendFlags.INLINE) || !awaitsResponse() && sges.totalBytes() <= inlineLimitBytes;
  }
}
