// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A queue pair (struct ibv_qp). On a reliable connected one (RC), what is posted to its send queue
 * happens at the peer in order, exactly once, and is reported complete only when the peer has it;
 * {@link QueuePairType} has the guarantees of the other types.
 *
 * <p>Any thread may post, one at a time for each of the two queues; transitions must not race with
 * posts. A post in the wrong state is refused and leaves nothing queued.
 */
public interface QueuePair extends AutoCloseable {
  /** Answer of {@link #silenceNs}: the device does not know. */
  long SILENCE_UNKNOWN = -1;

  /** 24-bit number, which the peer needs. */
  int number();

  /** Its service. */
  default QueuePairType type() {
    return QueuePairType.RC;
  }

  /** Sizes granted. With a shared receive queue, the receive sizes are that queue's. */
  QueuePairCapabilities capabilities();

  /**
   * The state now, queried from the device: a queue pair moves to ERR by itself when a request
   * fails.
   */
  QueuePairState state() throws VerbsException;

  /**
   * RESET to INIT: from now on receives may be posted.
   *
   * @throws VerbsException EINVAL from any other state
   */
  void toInit(InitAttributes attributes) throws VerbsException;

  /**
   * The attributes in force now, queried from the device (ibv_query_qp).
   *
   * @throws VerbsException EOPNOTSUPP where the provider cannot
   */
  default QueuePairAttributes query() throws VerbsException {
    throw VerbsException.notOffered("asking for a queue pair's attributes");
  }

  /**
   * INIT to RTR on RC and UC: from now on the peer may send. Post receives before. UC has no reads
   * and no RNR: those two attributes are ignored.
   *
   * @throws VerbsException EINVAL from any other state, and on UD
   */
  void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException;

  /**
   * INIT to RTR on UD, which has no peer of its own: from now on any node may send.
   *
   * @throws VerbsException EINVAL from any other state, and on RC and UC
   */
  default void toReadyToReceive() throws VerbsException {
    throw VerbsException.wrongType(type(), "toReadyToReceive without attributes", "UD");
  }

  /**
   * RTR to RTS on RC: from now on sends may be posted.
   *
   * @throws VerbsException EINVAL from any other state, and on UC and UD
   */
  void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException;

  /**
   * RTR to RTS on UC and UD, which neither wait nor retry.
   *
   * @param sendPsn the first packet sequence number used here, 24 bits; on UC the peer's receivePsn
   * @throws VerbsException EINVAL from any other state, and on RC
   */
  default void toReadyToSend(int sendPsn) throws VerbsException {
    throw VerbsException.wrongType(type(), "toReadyToSend with a PSN only", "UC or UD");
  }

  /**
   * Whether bytes of RDMA writes of the peer can be seen in the order of their addresses, so that a
   * message has arrived when its last byte has (ibv_query_qp_data_in_order for RDMA WRITE). False
   * if the device or its library does not guarantee it.
   */
  default boolean seesWritesInOrder() throws VerbsException {
    return false;
  }

  /**
   * Completes when the peer can be reached, in both directions, which requires the peer's RTR as
   * well; fails with a {@link VerbsException} if the queue pair ends first. Where the device makes
   * no connection to its peer, as on adapters, it is complete at once. Dependents may run with the
   * device's lock held: move them to another thread.
   */
  default CompletionStage<Void> connected() {
    return CompletableFuture.completedFuture(null);
  }

  /** What {@link #connected} waits for, for people: who dials where, and what came of it. */
  default String connectionText() {
    return "";
  }

  /**
   * How long ago the last bytes came from the peer's queue pair, in nanoseconds; {@link
   * #SILENCE_UNKNOWN} if none have come, on adapters, which do not say, and once it is closed. A
   * program that is stopped sends nothing, while its host's kernel or adapter still may.
   */
  default long silenceNs() {
    return SILENCE_UNKNOWN;
  }

  /**
   * Says that what ends it next is an orderly shutdown by its owner. If the device notifies the
   * peer's when the queue pair ends, it adds that ({@link VerbsDevice#isOrderlyShutdown}); adapters
   * notify none. Sends nothing, and what is under way goes on.
   */
  default void announceShutdown() {
    // An adapter notifies no peer.
  }

  /** Any state to ERR: everything outstanding is flushed in order with WR_FLUSH_ERR. */
  void toError() throws VerbsException;

  /** Any state to RESET: everything outstanding is discarded without completions. */
  void toReset() throws VerbsException;

  /**
   * Allocates a reusable chain of send requests for this queue pair.
   *
   * @param capacity max requests of the chain
   * @return the caller's; confined to one thread at a time
   */
  SendChain newSendChain(int capacity);

  /** As {@link #newSendChain}, for receives. */
  ReceiveChain newReceiveChain(int capacity);

  /**
   * Posts all requests of a chain, in order (ibv_post_send). Buffers belong to the device until the
   * completion.
   *
   * @return 0, or the errno of the first request that was refused, whose position is then {@link
   *     SendChain#refusedIndex()}; those before it are posted. {@link Errno#ENOMEM}: queue full,
   *     poll and try again. {@link Errno#EINVAL}: wrong state or contents. {@link Errno#EBADF}:
   *     closed.
   */
  int postSend(SendChain chain);

  /**
   * As {@link #postSend}, for receives (ibv_post_recv). With a shared receive queue {@link
   * Errno#EINVAL}: post there.
   */
  int postReceive(ReceiveChain chain);

  /** Destroys it; outstanding requests get no completions any more. */
  @Override
  void close() throws VerbsException;
}
