package io.meshtransport.verbs;

import io.meshtransport.nic.GidEntry;
import java.util.List;
import java.util.Optional;

/**
 * An opened RDMA device (struct ibv_context). Owned by whoever opened it. Any thread may call it;
 * the objects made from it say their own rules.
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
   * each call, for rows move.
   */
  List<GidEntry> gidTable(int port) throws VerbsException;

  ProtectionDomain allocateProtectionDomain() throws VerbsException;

  CompletionChannel createCompletionChannel() throws VerbsException;

  /**
   * Creates a completion queue that raises no events.
   *
   * @param depth at least this many completions fit; 1 to {@link
   *     DeviceAttributes#maxCompletionQueueDepth()}
   */
  CompletionQueue createCompletionQueue(int depth) throws VerbsException;

  /**
   * As {@link #createCompletionQueue(int)}, raising its events on a channel, which must outlive it.
   */
  CompletionQueue createCompletionQueue(int depth, CompletionChannel channel) throws VerbsException;

  /** The next asynchronous event, if one happened (ibv_get_async_event, non-blocking). */
  Optional<AsyncEvent> pollAsyncEvent() throws VerbsException;

  /**
   * The TCP port on which a soft device accepts its peers' wires, which a peer passes as {@link
   * PeerAddress#wirePort()}; 0 on hardware, where RoCE v2 always uses UDP port 4791.
   */
  int wirePort();

  /**
   * Closes the device.
   *
   * @throws VerbsException EBUSY while it has living children
   */
  @Override
  void close() throws VerbsException;
}
