package io.meshtransport.verbs;

import java.nio.ByteBuffer;
import java.util.List;

/** Memory and queue pairs that may be used together (struct ibv_pd). Any thread may call it. */
public interface ProtectionDomain extends AutoCloseable {
  /**
   * Registers all of a direct buffer, position and limit notwithstanding, as it lies in memory.
   *
   * @param buffer direct; the region keeps it reachable, its content stays the caller's
   * @param access bits of {@link Access}
   * @throws VerbsException EINVAL for a heap buffer, an empty one or contradictory access bits;
   *     ENOMEM when RLIMIT_MEMLOCK or the device's limit is reached
   */
  MemoryRegion register(ByteBuffer buffer, int access) throws VerbsException;

  /**
   * Registers several direct buffers as one region in which each begins where the one before it
   * ends. This is how more than 2^31 - 1 bytes become one region. On hardware the buffers must be
   * neighbours in memory.
   */
  MemoryRegion register(List<ByteBuffer> segments, int access) throws VerbsException;

  /**
   * As {@link #register(List, int)}, with an address of the caller's choice by which work requests
   * name the region's first byte (ibv_reg_mr_iova2).
   *
   * @param iova unsigned. On hardware its place within a page must be that of the memory, which
   *     {@link ByteBuffer#alignmentOffset} tells: with memory from {@link ByteBuffer#alignedSlice}
   *     any multiple of the page size will do
   * @throws VerbsException as above, and EINVAL if the places differ
   */
  MemoryRegion registerAt(long iova, List<ByteBuffer> segments, int access) throws VerbsException;

  /** Creates an RC queue pair in RESET. */
  QueuePair createQueuePair(
      QueuePairCapabilities capabilities, CompletionQueue sendQueue, CompletionQueue receiveQueue)
      throws VerbsException;

  /**
   * @throws VerbsException EBUSY while it has living regions or queue pairs
   */
  @Override
  void close() throws VerbsException;
}
