// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * One place for a request: a send is a group of one. Made once, used again and again; guarded by
 * its pipe.
 */
final class InMemoryRequest {
  static final long FREE = -1;
  static final long NOT_ARRIVED = -1;

  final InMemoryMemory[] memories = new InMemoryMemory[Transport.MAX_GROUP];
  final long[] offsetsBytes = new long[Transport.MAX_GROUP];
  final long[] lengthsBytes = new long[Transport.MAX_GROUP];
  final int[] tags = new int[Transport.MAX_GROUP];
  final long[] arrivedBytes = new long[Transport.MAX_GROUP];
  long number = FREE;
  int size;
  long beginNs;
  long timeoutNs;
  long result;
  TransportException failure;
  boolean forgotten;

  /** Of a send: the other end has heard that it waits for a receive. */
  boolean isReported;

  /** What it reports when it has ended well. */
  CompletionKind kind;

  long userData;

  /** Null unless it is a multi-receive. */
  InMemoryMulti multi;

  private InMemoryMulti anyMulti;

  /** Its place among the ended requests of its end, from 1 on. */
  long endedAs;

  private final InMemoryEnd end;

  /** Represents an unregistered buffer, or null. */
  InMemoryPlain.Loan loan;

  InMemoryRequest(InMemoryEnd end) {
    this.end = end;
  }

  void begin(long newNumber, CompletionKind newKind, long newTimeoutNs, long newUserData) {
    number = newNumber;
    kind = newKind;
    userData = newUserData;
    timeoutNs = newTimeoutNs;
    beginNs = newTimeoutNs == Long.MAX_VALUE ? 0 : System.nanoTime();
    result = Channel.PENDING;
    size = 0;
    failure = null;
    forgotten = false;
    isReported = false;
    multi = null;
  }

  /** It is a multi-receive. */
  void beginMulti(MultiReceive receive) {
    if (anyMulti == null) {
      anyMulti = new InMemoryMulti();
    }
    anyMulti.begin(receive);
    multi = anyMulti;
  }

  void forget() {
    forgotten = true;
    freeIfNobodyAsks();
  }

  /** It has ended, well or not. */
  void endLoan() {
    if (loan != null) {
      if (result >= 0) {
        loan.deliver((int) result);
      }
      loan.end();
      loan = null;
    }
  }

  private void freeIfNobodyAsks() {
    if (result != Channel.PENDING) {
      endLoan();
      releaseMemories();
    }
    if (forgotten && result != Channel.PENDING) {
      number = FREE;
    }
  }

  private void releaseMemories() {
    for (int i = 0; i < size; i++) {
      if (memories[i] != null) {
        memories[i].release();
        memories[i] = null;
      }
    }
  }

  void add(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    memories[size] = (InMemoryMemory) memory;
    memories[size].retain();
    offsetsBytes[size] = offsetBytes;
    lengthsBytes[size] = lengthBytes;
    tags[size] = tag;
    arrivedBytes[size] = NOT_ARRIVED;
    size++;
  }

  boolean isPending() {
    return number != FREE && result == Channel.PENDING;
  }

  boolean isLate() {
    return isPending() && timeoutNs != Long.MAX_VALUE && System.nanoTime() - beginNs > timeoutNs;
  }

  void fail(TransportException why) {
    failure = why;
    end.failed(number, why);
    end(Channel.FAILED);
  }

  /** Ends it, with a length in bytes or FAILED. */
  void end(long newResult) {
    result = newResult;
    endedAs = end.nextEnd();
    freeIfNobodyAsks();
  }

  boolean hasEnded() {
    return number != FREE && result != Channel.PENDING;
  }

  /** The first receive of this group that waits for this tag, or -1. */
  int waitingFor(int tag) {
    if (multi != null) {
      return multi.isFull() || tags[0] != tag ? -1 : 0;
    }
    for (int i = 0; i < size; i++) {
      if (arrivedBytes[i] == NOT_ARRIVED && tags[i] == tag) {
        return i;
      }
    }
    return -1;
  }

  void arrive(int index, long lengthBytes) {
    if (multi != null) {
      end.messageCame(this, multi.arrive(lengthBytes), lengthBytes);
      if (multi.isFull()) {
        end(multi.sumBytes());
      }
      return;
    }
    arrivedBytes[index] = lengthBytes;
    long sum = 0;
    for (int i = 0; i < size; i++) {
      if (arrivedBytes[i] == NOT_ARRIVED) {
        return;
      }
      sum += arrivedBytes[i];
    }
    end(sum);
  }

  /** How many lengths there may be. */
  int maxLengths() {
    return multi == null ? size : multi.receive().messages();
  }

  /** Length of the longest message that one of its receives takes. */
  long longestBytes(int index) {
    return multi == null ? lengthsBytes[index] : multi.receive().longestBytes();
  }

  /** Where the next message for one of its receives goes. */
  long offsetBytes(int index) {
    return multi == null ? offsetsBytes[index] : multi.nextOffsetBytes();
  }

  /** How many have arrived from the first on. */
  int arrivedInOrder() {
    int count = 0;
    while (count < size && arrivedBytes[count] != NOT_ARRIVED) {
      count++;
    }
    return count;
  }
}
