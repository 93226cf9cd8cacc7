// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.ReceiveChain;
import java.nio.ByteBuffer;

/** Linked struct ibv_recv_wr with their struct ibv_sge, in the order of {@link NativeSendChain}. */
final class NativeReceiveChain implements ReceiveChain {
  private final int capacity;
  private final int mostSges;
  private final NativeBlock block;
  private final ByteBuffer bytes;
  private final int refusedCell;
  private int size;
  private int refusedIndex;
  private int malformed;
  private int request;
  private int sges;

  NativeReceiveChain(int capacity, int mostSges) {
    this.capacity = capacity;
    this.mostSges = mostSges;
    this.refusedCell = entriesOf(capacity);
    this.block = NativeBlock.ofBytes(refusedCell + Layout.POINTER_BYTES);
    this.bytes = block.bytes();
    for (int i = 0; i < capacity; i++) {
      bytes.putLong(
          i * Layout.RecvWr.BYTES + Layout.RecvWr.SG_LIST, block.address() + entriesOf(i));
    }
    clear();
  }

  private int entriesOf(int index) {
    return capacity * Layout.RecvWr.BYTES + index * mostSges * Layout.Sge.BYTES;
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
  public void begin(long id) {
    if (size == capacity) {
      throw new IllegalStateException("the chain is full: it has " + capacity + " requests");
    }
    int next = size * Layout.RecvWr.BYTES;
    if (size > 0) {
      bytes.putLong(request + Layout.RecvWr.NEXT, block.address() + next);
    }
    request = next;
    sges = 0;
    size++;
    bytes.putLong(request + Layout.RecvWr.WR_ID, id);
    bytes.putLong(request + Layout.RecvWr.NEXT, 0);
    bytes.putInt(request + Layout.RecvWr.NUM_SGE, 0);
  }

  @Override
  public void sge(long address, int lengthBytes, int localKey) {
    if (size == 0) {
      throw new IllegalStateException("begin a request first");
    }
    if (sges == mostSges) {
      malformed = Math.min(malformed, size - 1);
      return;
    }
    int entry = entriesOf(size - 1) + sges * Layout.Sge.BYTES;
    bytes.putLong(entry + Layout.Sge.ADDR, address);
    bytes.putInt(entry + Layout.Sge.LENGTH, lengthBytes);
    bytes.putInt(entry + Layout.Sge.LKEY, localKey);
    sges++;
    bytes.putInt(request + Layout.RecvWr.NUM_SGE, sges);
  }

  @Override
  public int refusedIndex() {
    return refusedIndex;
  }

  int refuse(int errno) {
    refusedIndex = 0;
    return errno;
  }

  /** How a chain gets into a queue. */
  private interface Post {
    int chain(InlineVerbs verbs, long queue, long firstRequest, long refusedAddress);
  }

  int post(InlineVerbs verbs, long queuePair) {
    return post(InlineVerbs::post_recv, verbs, queuePair);
  }

  /** Into a shared receive queue. */
  int postShared(InlineVerbs verbs, long sharedQueue) {
    return post(InlineVerbs::post_srq_recv, verbs, sharedQueue);
  }

  private int post(Post how, InlineVerbs verbs, long queue) {
    int wellFormed = Math.min(size, malformed);
    if (wellFormed > 0) {
      bytes.putLong((wellFormed - 1) * Layout.RecvWr.BYTES + Layout.RecvWr.NEXT, 0);
      bytes.putLong(refusedCell, 0);
      int errno = how.chain(verbs, queue, block.address(), block.address() + refusedCell);
      if (errno != 0) {
        refusedIndex = indexOf(bytes.getLong(refusedCell));
        return errno;
      }
    }
    refusedIndex = wellFormed;
    return wellFormed < size ? Errno.EINVAL : 0;
  }

  private int indexOf(long refused) {
    return refused == 0 ? 0 : (int) ((refused - block.address()) / Layout.RecvWr.BYTES);
  }
}
