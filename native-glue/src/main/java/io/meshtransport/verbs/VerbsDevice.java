// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import io.meshtransport.nic.GidEntry;
import java.util.List;
import java.util.Optional;

/**
 * An opened RDMA device (struct ibv_context). Owned by its opener. Any thread may call it; the
 * objects made from it have rules of their own.
 */
public interface VerbsDevice extends AutoCloseable {
  String name();

  /** Limits of the device (ibv_query_device). */
  DeviceAttributes query() throws VerbsException;

  /**
   * State and limits of a port (ibv_query_port).
   *
   * @param port from 1
   */
  PortAttributes queryPort(int port) throws VerbsException;

  /**
   * The valid rows of a port's GID table, by ascending index (_ibv_query_gid_table). Read anew at
   * each call, because rows move.
   */
  List<GidEntry> gidTable(int port) throws VerbsException;

  /**
   * One row of a port's GID table (_ibv_query_gid_ex).
   *
   * @param index from 0 to below {@link PortAttributes#gidTableLength()}
   * @throws VerbsException ENODATA if the row is empty, EINVAL if there is no such port or row
   */
  default GidEntry gid(int port, int index) throws VerbsException {
    int rows = queryPort(port).gidTableLength();
    if (index < 0 || index >= rows) {
      throw new VerbsException(
          Errno.EINVAL,
          "GID row " + index + " of " + name() + " port " + port + " is outside 0.." + (rows - 1));
    }
    return gidTable(port).stream()
        .filter(entry -> entry.index() == index)
        .findFirst()
        .orElseThrow(
            () ->
                new VerbsException(
                    Errno.ENODATA,
                    "GID row " + index + " of " + name() + " port " + port + " is empty"));
  }

  /**
   * One row of a port's partition table, 16 bits (ibv_query_pkey). RoCE has 0xFFFF in row 0.
   *
   * @throws VerbsException EINVAL if there is no such port or row, EOPNOTSUPP where the provider
   *     cannot
   */
  default int partitionKey(int port, int index) throws VerbsException {
    throw VerbsException.notOffered("asking for a partition key");
  }

  ProtectionDomain allocateProtectionDomain() throws VerbsException;

  CompletionChannel createCompletionChannel() throws VerbsException;

  /**
   * Creates a place where one thread waits for many completion channels, also for those of other
   * devices of this provider. It may outlive the device.
   */
  CompletionEvents createCompletionEvents() throws VerbsException;

  /**
   * Creates a completion queue that raises no events.
   *
   * @param depth min completions that fit; 1 to {@link DeviceAttributes#maxCompletionQueueDepth()}
   */
  CompletionQueue createCompletionQueue(int depth) throws VerbsException;

  /**
   * As {@link #createCompletionQueue(int)}, raising its events on a channel, which must outlive it.
   */
  CompletionQueue createCompletionQueue(int depth, CompletionChannel channel) throws VerbsException;

  /**
   * The number of completion vectors, which on hardware are interrupts on different processors
   * (ibv_context.num_comp_vectors). At least 1.
   */
  default int completionVectors() {
    return 1;
  }

  /**
   * As {@link #createCompletionQueue(int, CompletionChannel)}, raising its events by one of the
   * device's interrupts.
   *
   * @param vector 0 to below {@link #completionVectors()}
   * @throws VerbsException EINVAL if there is no such vector
   */
  default CompletionQueue createCompletionQueue(int depth, CompletionChannel channel, int vector)
      throws VerbsException {
    if (vector < 0 || vector >= completionVectors()) {
      throw VerbsException.noSuchVector(this, vector);
    }
    return createCompletionQueue(depth, channel);
  }

  /**
   * The meaning of a completion's vendor error.
   *
   * @return a clause for people; empty if the vendor does not document the number
   */
  default String vendorErrorText(int vendorError) {
    return "";
  }

  /**
   * Whether a completion's vendor error says that the peer's owner ended its queue pair, by an
   * orderly shutdown ({@link QueuePair#announceShutdown}). False on adapters, which notify no peer.
   */
  default boolean isOrderlyShutdown(int vendorError) {
    return false;
  }

  /** The next asynchronous event, if one happened (ibv_get_async_event, non-blocking). */
  Optional<AsyncEvent> pollAsyncEvent() throws VerbsException;

  /**
   * The TCP port on which a soft device accepts its peers' data connections, which a peer passes as
   * {@link PeerArgument#wirePort()}; 0 on hardware, where RoCE v2 always uses UDP port 4791.
   */
  int wirePort();

  /**
   * Whether its calls never wait for anything outside this process. A kernel's driver may block a
   * caller for a minute, for example when it destroys a queue pair.
   */
  default boolean returnsAtOnce() {
    return false;
  }

  /**
   * Closes the device.
   *
   * @throws VerbsException EBUSY while it has living children
   */
  @Override
  void close() throws VerbsException;
}
