package io.meshtransport.verbs;

/**
 * A reliable connected (RC) queue pair (struct ibv_qp): what is posted to its send queue happens at
 * the peer in order, exactly once, and is reported complete only when the peer has it.
 *
 * <p>Any thread may post, one at a time for each of the two queues; transitions must not race with
 * posts. A post in the wrong state is refused and leaves nothing queued.
 */
public interface QueuePair extends AutoCloseable {
  /** 24-bit number, which the peer needs. */
  int number();

  /** Sizes granted. */
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

  /** INIT to RTR: from now on the peer may send. Post receives before. */
  void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException;

  /** RTR to RTS: from now on sends may be posted. */
  void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException;

  /** Any state to ERR: everything outstanding is flushed in order with WR_FLUSH_ERR. */
  void toError() throws VerbsException;

  /** Any state to RESET: everything outstanding is forgotten without completions. */
  void toReset() throws VerbsException;

  /**
   * Room for a chain of send requests, to be used again and again with this queue pair.
   *
   * @param capacity requests in one chain
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

  /** As {@link #postSend}, for receives (ibv_post_recv). */
  int postReceive(ReceiveChain chain);

  /** Destroys it; outstanding requests get no completions any more. */
  @Override
  void close() throws VerbsException;
}
