// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * A chain of send work requests (linked struct ibv_send_wr), written once and posted with one call.
 * Belongs to the queue pair that made it; confined to one thread at a time; free for refilling as
 * soon as the post returns. Allocates nothing.
 *
 * <pre>
 * chain.clear();
 * chain.begin(id, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED);
 * chain.sge(address, length, region.localKey());
 * chain.remote(remoteAddress, remoteKey);
 * chain.immediate(7);
 * int errno = queuePair.postSend(chain);
 * </pre>
 */
public interface SendChain {
  int capacity();

  /** Requests begun since {@link #clear}. */
  int size();

  void clear();

  /**
   * Begins the next request; the following calls describe it.
   *
   * @param id returned in the completion
   * @param flags bits of {@link SendFlags}
   * @throws IllegalStateException if the chain is full: a mistake of the caller
   */
  void begin(long id, SendOpcode opcode, int flags);

  /**
   * Adds a piece of local memory: the source of sends and writes, the target of reads and atomics
   * (8 bytes).
   *
   * @param lengthBytes unsigned 32 bits
   */
  void sge(long address, int lengthBytes, int localKey);

  /** The peer's memory, for writes, reads and atomics. */
  void remote(long address, int remoteKey);

  /** 32 bits that the peer's completion carries, for the opcodes WITH_IMM. */
  void immediate(int value);

  /** Operands of an atomic: the number to add, or the expected and the new value. */
  void atomic(long compareOrAdd, long swap);

  /**
   * The destination, on UD queue pairs only.
   *
   * @param peer the path, of the same protection domain; remains the caller's, who must not close
   *     it before the completion
   * @param queuePair number of the peer's UD queue pair, 24 bits
   * @param queueKey the one it was given with {@link InitAttributes#queueKey()}
   * @throws IllegalStateException on a chain of another type of queue pair: a mistake of the caller
   */
  default void destination(AddressHandle peer, int queuePair, int queueKey) {
    throw new IllegalStateException(
        "only requests of UD queue pairs name their destination; others have one peer");
  }

  /** After a refused post: position of the first request that was not posted. */
  int refusedIndex();
}
