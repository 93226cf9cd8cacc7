// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.nio.ByteBuffer;
import java.util.List;

/** Memory and queue pairs that may be used together (struct ibv_pd). Any thread may call it. */
public interface ProtectionDomain extends AutoCloseable {
  /**
   * Registers a direct buffer from 0 to its capacity, whatever its position and limit, under its
   * own address.
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
   * adjacent in memory.
   */
  MemoryRegion register(List<ByteBuffer> segments, int access) throws VerbsException;

  /**
   * As {@link #register(List, int)}, with an address of the caller's choice by which work requests
   * name the region's first byte (ibv_reg_mr_iova2).
   *
   * @param iova unsigned. On hardware its offset within a page must be that of the memory ({@link
   *     ByteBuffer#alignmentOffset}): with memory from {@link ByteBuffer#alignedSlice} it may be
   *     any multiple of the page size
   * @throws VerbsException as above, and EINVAL if the offsets differ
   */
  MemoryRegion registerAt(long iova, List<ByteBuffer> segments, int access) throws VerbsException;

  /**
   * Registers memory of another device, such as a GPU's, by the dma-buf that exports it
   * (ibv_reg_dmabuf_mr).
   *
   * @param fileDescriptor of the dma-buf; may be closed afterwards
   * @param offsetBytes where in the dma-buf the region begins
   * @param lengthBytes of the region
   * @param iova the address by which work requests name its first byte; its offset in a page must
   *     be that of offsetBytes
   * @param access bits of {@link Access}
   * @throws VerbsException EOPNOTSUPP if provider or device cannot; a retry does not help: copy
   *     through registered memory instead. EBADF for a bad descriptor, EINVAL for anything that is
   *     no dma-buf or lies outside it.
   */
  default MemoryRegion registerDmaBuf(
      int fileDescriptor, long offsetBytes, long lengthBytes, long iova, int access)
      throws VerbsException {
    throw VerbsException.notOffered("registering a dma-buf");
  }

  /** Creates an RC queue pair in RESET. */
  QueuePair createQueuePair(
      QueuePairCapabilities capabilities, CompletionQueue sendQueue, CompletionQueue receiveQueue)
      throws VerbsException;

  /**
   * Creates a queue pair of any type in RESET.
   *
   * @throws VerbsException EINVAL beyond the device's limits, EOPNOTSUPP for a type that provider
   *     or device does not offer
   */
  default QueuePair createQueuePair(
      QueuePairType type,
      QueuePairCapabilities capabilities,
      CompletionQueue sendQueue,
      CompletionQueue receiveQueue)
      throws VerbsException {
    if (type == QueuePairType.RC) {
      return createQueuePair(capabilities, sendQueue, receiveQueue);
    }
    throw VerbsException.notOffered("a queue pair of type " + type);
  }

  /**
   * As the other, with the receives of a shared queue, which must outlive it. Its own receive depth
   * and entries are ignored, and it accepts no receives itself.
   */
  default QueuePair createQueuePair(
      QueuePairType type,
      QueuePairCapabilities capabilities,
      CompletionQueue sendQueue,
      CompletionQueue receiveQueue,
      SharedReceiveQueue receives)
      throws VerbsException {
    throw VerbsException.notOffered("a queue pair with a shared receive queue");
  }

  /**
   * Creates a queue of receives for several queue pairs.
   *
   * @param depth min receives that can be outstanding
   * @param sges min entries of each receive
   * @throws VerbsException EINVAL beyond the device's limits, EOPNOTSUPP where the provider cannot
   */
  default SharedReceiveQueue createSharedReceiveQueue(int depth, int sges) throws VerbsException {
    throw VerbsException.notOffered("a shared receive queue");
  }

  /**
   * Resolves the path to a peer for UD sends (ibv_create_ah). On RoCE the kernel looks up the next
   * hop's Ethernet address.
   *
   * @param port the local port to leave by, from 1
   * @throws VerbsException EINVAL for a port or peer that cannot be, ENODATA for an empty GID row,
   *     ENETUNREACH, EHOSTUNREACH or ETIMEDOUT for a peer without a route or that does not answer,
   *     EOPNOTSUPP where the provider cannot
   */
  default AddressHandle createAddressHandle(PeerAddress peer, int port) throws VerbsException {
    throw VerbsException.notOffered("an address handle");
  }

  /**
   * @throws VerbsException EBUSY while it has living regions, queue pairs, shared receive queues or
   *     address handles
   */
  @Override
  void close() throws VerbsException;
}
