// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/**
 * Unregistered buffers, with the limits of the defaults: short ones are copied, long ones
 * remembered. Guarded by itself.
 */
final class InMemoryPlain {
  private static final int COPIED_BYTES = 16_384;
  private static final int COPIES = 256;
  private static final long LONG_COPIED_BYTES = 256L << 20;

  private final InMemoryTransport owner;
  private final Queue<Loan> free = new ArrayDeque<>(COPIES);
  private final List<ByteBuffer> seen = new ArrayList<>();
  private int made;
  private int inUse;
  private long longBytesInUse;
  private long hits;
  private long misses;

  InMemoryPlain(InMemoryTransport owner) {
    this.owner = owner;
  }

  /** Represents a buffer while a request uses it. */
  final class Loan {
    private InMemoryMemory memory;
    private ByteBuffer target;
    private int offset;
    private boolean isCopy;
    private boolean isLong;

    InMemoryMemory memory() {
      return memory;
    }

    long offsetBytes() {
      return isCopy ? 0 : offset;
    }

    void deliver(int lengthBytes) {
      if (isCopy && target != null) {
        int limit = target.limit();
        target.limit(target.capacity()).put(offset, memory.segments().get(0), 0, lengthBytes);
        target.limit(limit);
      }
    }

    void end() {
      synchronized (InMemoryPlain.this) {
        target = null;
        if (isLong) {
          longBytesInUse -= memory.lengthBytes();
        } else if (isCopy) {
          inUse--;
          free.add(this);
        }
      }
    }
  }

  /** Null if all copies are in use. */
  synchronized Loan lend(ByteBuffer buffer, boolean isReceive) {
    if (isReceive && buffer.isReadOnly()) {
      throw new IllegalArgumentException("a read-only buffer");
    }
    if (buffer.remaining() <= COPIED_BYTES) {
      return copy(buffer, isReceive);
    }
    return buffer.isDirect() && !buffer.isReadOnly()
        ? registered(buffer)
        : longCopy(buffer, isReceive);
  }

  private Loan longCopy(ByteBuffer buffer, boolean isReceive) {
    int lengthBytes = buffer.remaining();
    if (longBytesInUse > 0 && lengthBytes > LONG_COPIED_BYTES - longBytesInUse) {
      return null;
    }
    Loan loan = new Loan();
    loan.isLong = true;
    loan.memory = memory(ByteBuffer.allocateDirect(lengthBytes));
    longBytesInUse += lengthBytes;
    fill(loan, buffer, isReceive);
    return loan;
  }

  private Loan copy(ByteBuffer buffer, boolean isReceive) {
    if (inUse == COPIES) {
      return null;
    }
    Loan loan = free.poll();
    if (loan == null) {
      loan = new Loan();
      loan.memory = memory(ByteBuffer.allocateDirect(COPIED_BYTES));
      made++;
    }
    inUse++;
    fill(loan, buffer, isReceive);
    return loan;
  }

  private static void fill(Loan loan, ByteBuffer buffer, boolean isReceive) {
    loan.isCopy = true;
    loan.offset = buffer.position();
    if (isReceive) {
      loan.target = buffer;
    } else {
      loan.memory.segments().get(0).put(0, buffer, buffer.position(), buffer.remaining());
    }
  }

  private Loan registered(ByteBuffer buffer) {
    if (seen.stream().anyMatch(old -> isSame(old, buffer))) {
      hits++;
    } else {
      misses++;
      seen.add(buffer.duplicate().clear());
    }
    Loan loan = new Loan();
    loan.memory = memory(buffer.duplicate().clear());
    loan.offset = buffer.position();
    return loan;
  }

  private InMemoryMemory memory(ByteBuffer bytes) {
    return new InMemoryMemory(owner, List.of(bytes), Set.of(), () -> {});
  }

  /** Whether both are of one piece of memory: what is written to the one is read from the other. */
  private static boolean isSame(ByteBuffer old, ByteBuffer buffer) {
    ByteBuffer whole = buffer.duplicate().clear();
    byte before = whole.get(0);
    boolean isSame = false;
    for (int i = 0; i < old.capacity() && !isSame; i += 1) {
      isSame = old.get(i) == before && changesWith(old, i, whole);
    }
    return isSame;
  }

  private static boolean changesWith(ByteBuffer old, int at, ByteBuffer whole) {
    byte before = whole.get(0);
    whole.put(0, (byte) ~before);
    boolean changes = old.get(at) == (byte) ~before;
    whole.put(0, before);
    return changes;
  }

  synchronized void forget(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      seen.removeIf(old -> isSame(old, buffer));
    }
  }

  synchronized MemoryStatistics statistics() {
    long cachedBytes = seen.stream().mapToLong(ByteBuffer::capacity).sum();
    return new MemoryStatistics(
        0,
        0,
        0,
        seen.size(),
        cachedBytes,
        hits,
        misses,
        0,
        made,
        inUse,
        longBytesInUse,
        longBytesInUse);
  }
}
