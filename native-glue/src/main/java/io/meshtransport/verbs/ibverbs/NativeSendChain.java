// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import java.nio.ByteBuffer;

/**
 * Linked struct ibv_send_wr with their struct ibv_sge, written in place: first the requests, then
 * the entries of each, last the pointer by which a post reports the request that it refused.
 */
final class NativeSendChain implements SendChain {
  private final int capacity;
  private final QueuePairType type;
  private final AddressHandlesInUse destinations;
  private final int mostSges;
  private final int mostInlineBytes;
  private final NativeBlock block;
  private final ByteBuffer bytes;
  private final int refusedCell;
  private int size;
  private int refusedIndex;

  /** The first request that the queue pair does not support, {@code capacity} if there is none. */
  private int malformed;

  private int request;
  private int sges;
  private SendOpcode opcode;
  private boolean isInline;
  private long inlineBytes;

  NativeSendChain(
      int capacity,
      QueuePairCapabilities limits,
      QueuePairType type,
      NativeProtectionDomain domain) {
    this.capacity = capacity;
    this.type = type;
    this.destinations = new AddressHandlesInUse(capacity, domain);
    this.mostSges = limits.sendSges();
    this.mostInlineBytes = limits.inlineBytes();
    int entriesStart = capacity * Layout.SendWr.BYTES;
    this.refusedCell = entriesStart + capacity * mostSges * Layout.Sge.BYTES;
    this.block = NativeBlock.ofBytes(refusedCell + Layout.POINTER_BYTES);
    this.bytes = block.bytes();
    for (int i = 0; i < capacity; i++) {
      bytes.putLong(
          i * Layout.SendWr.BYTES + Layout.SendWr.SG_LIST, block.address() + entriesOf(i));
    }
    clear();
  }

  private int entriesOf(int index) {
    return capacity * Layout.SendWr.BYTES + index * mostSges * Layout.Sge.BYTES;
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void clear() {
    size = 0;
    malformed = capacity;
  }

  @Override
  public void begin(long id, SendOpcode newOpcode, int flags) {
    if (size == capacity) {
      throw new IllegalStateException("the chain is full: it has " + capacity + " requests");
    }
    int next = size * Layout.SendWr.BYTES;
    if (size > 0) {
      bytes.putLong(request + Layout.SendWr.NEXT, block.address() + next);
    }
    request = next;
    opcode = newOpcode;
    isInline = (flags & SendFlags.INLINE) != 0;
    inlineBytes = 0;
    sges = 0;
    size++;
    bytes.putLong(request + Layout.SendWr.WR_ID, id);
    bytes.putLong(request + Layout.SendWr.NEXT, 0);
    bytes.putInt(request + Layout.SendWr.NUM_SGE, 0);
    bytes.putInt(request + Layout.SendWr.OPCODE, newOpcode.code());
    bytes.putInt(request + Layout.SendWr.SEND_FLAGS, flags & ~SendFlags.HINTS);
    bytes.putInt(request + Layout.SendWr.IMM_DATA, 0);
    // Earlier content of the slot must not be read as the peer's memory.
    bytes.putLong(request + Layout.SendWr.REMOTE_ADDR, 0);
    bytes.putLong(request + Layout.SendWr.RDMA_RKEY, 0);
    bytes.putLong(request + Layout.SendWr.ATOMIC_SWAP, 0);
    bytes.putInt(request + Layout.SendWr.ATOMIC_RKEY, 0);
    destinations.begin(size - 1);
    if (!type.allows(newOpcode)) {
      refuseLast();
    }
  }

  /** The queue pair does not support the request that was begun last. */
  private void refuseLast() {
    malformed = Math.min(malformed, size - 1);
  }

  private void requireBegun() {
    if (size == 0) {
      throw new IllegalStateException("begin a request first");
    }
  }

  @Override
  public void sge(long address, int lengthBytes, int localKey) {
    requireBegun();
    inlineBytes += Integer.toUnsignedLong(lengthBytes);
    if (sges == mostSges || isInline && inlineBytes > mostInlineBytes) {
      refuseLast();
      return;
    }
    int entry = entriesOf(size - 1) + sges * Layout.Sge.BYTES;
    bytes.putLong(entry + Layout.Sge.ADDR, address);
    bytes.putInt(entry + Layout.Sge.LENGTH, lengthBytes);
    bytes.putInt(entry + Layout.Sge.LKEY, localKey);
    sges++;
    bytes.putInt(request + Layout.SendWr.NUM_SGE, sges);
  }

  @Override
  public void remote(long address, int remoteKey) {
    requireBegun();
    if (type == QueuePairType.UD) {
      // Its field overlaps that of the address handle.
      refuseLast();
      return;
    }
    bytes.putLong(request + Layout.SendWr.REMOTE_ADDR, address);
    bytes.putInt(
        request + (isAtomic() ? Layout.SendWr.ATOMIC_RKEY : Layout.SendWr.RDMA_RKEY), remoteKey);
  }

  private boolean isAtomic() {
    return opcode == SendOpcode.ATOMIC_FETCH_AND_ADD
        || opcode == SendOpcode.ATOMIC_COMPARE_AND_SWAP;
  }

  /** In network order; this library runs on little-endian hosts. */
  @Override
  public void immediate(int value) {
    requireBegun();
    bytes.putInt(request + Layout.SendWr.IMM_DATA, Integer.reverseBytes(value));
  }

  @Override
  public void atomic(long compareOrAdd, long swap) {
    requireBegun();
    if (isAtomic()) {
      bytes.putLong(request + Layout.SendWr.ATOMIC_COMPARE_ADD, compareOrAdd);
      bytes.putLong(request + Layout.SendWr.ATOMIC_SWAP, swap);
    }
  }

  @Override
  public void destination(AddressHandle peer, int queuePair, int queueKey) {
    requireBegun();
    if (type != QueuePairType.UD) {
      throw new IllegalStateException("a queue pair of type " + type + " has one peer only");
    }
    bytes.putLong(request + Layout.SendWr.UD_AH, destinations.name(size - 1, peer));
    bytes.putInt(request + Layout.SendWr.UD_REMOTE_QPN, queuePair);
    bytes.putInt(request + Layout.SendWr.UD_REMOTE_QKEY, queueKey);
  }

  @Override
  public int refusedIndex() {
    return refusedIndex;
  }

  /** Refuses all of it before the library sees it. */
  int refuse(int errno) {
    refusedIndex = 0;
    return errno;
  }

  /** Posts it. Inside the queue pair's gate. */
  int post(InlineVerbs verbs, long queuePair) {
    int wellFormed = Math.min(size, malformed);
    if (type != QueuePairType.UD) {
      return post(verbs, queuePair, wellFormed);
    }
    int named = destinations.enter(wellFormed);
    try {
      return post(verbs, queuePair, named);
    } finally {
      destinations.leave(named);
    }
  }

  private int post(InlineVerbs verbs, long queuePair, int count) {
    if (count > 0) {
      bytes.putLong((count - 1) * Layout.SendWr.BYTES + Layout.SendWr.NEXT, 0);
      bytes.putLong(refusedCell, 0);
      int errno = verbs.post_send(queuePair, block.address(), block.address() + refusedCell);
      if (errno != 0) {
        refusedIndex = indexOf(bytes.getLong(refusedCell));
        return errno;
      }
    }
    refusedIndex = count;
    return count < size ? Errno.EINVAL : 0;
  }

  /** -1 if the library did not report it. */
  private int indexOf(long refused) {
    return refused == 0 ? -1 : (int) ((refused - block.address()) / Layout.SendWr.BYTES);
  }
}
