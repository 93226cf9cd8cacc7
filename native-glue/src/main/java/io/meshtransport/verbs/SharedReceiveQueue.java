// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Receives that several queue pairs share (struct ibv_srq): each message uses the oldest, whichever
 * queue pair it arrived on, and completes on that queue pair's receive completion queue. Created by
 * {@link ProtectionDomain#createSharedReceiveQueue}.
 *
 * <p>Any thread may post, one at a time.
 */
public interface SharedReceiveQueue extends AutoCloseable {
  /** The {@link AsyncEvent#subject} of its events; of one device, unlike any other's. */
  int number();

  /** Max receives outstanding; a device may grant more than was requested. */
  int depth();

  /** Max scatter/gather entries of one receive; a device may grant more than was requested. */
  int sges();

  /**
   * As {@link QueuePair#newReceiveChain}, to be used with this queue only.
   *
   * @param capacity requests in one chain
   */
  ReceiveChain newReceiveChain(int capacity);

  /**
   * Posts all requests of a chain, in order (ibv_post_srq_recv).
   *
   * @return as {@link QueuePair#postReceive}
   */
  int postReceive(ReceiveChain chain);

  /**
   * Requests one event {@link AsyncEvent.Type#SRQ_LIMIT_REACHED} for when fewer receives than this
   * are left (ibv_modify_srq with IBV_SRQ_LIMIT). Raising the event disarms it.
   *
   * @param limit 1 to {@link #depth()}; 0 disarms
   * @throws VerbsException EINVAL beyond the depth
   */
  void armLimit(int limit) throws VerbsException;

  /**
   * Changes the depth (ibv_modify_srq with IBV_SRQ_MAX_WR); what is posted stays.
   *
   * @param depth from 1, and no less than what is posted now
   * @throws VerbsException EINVAL for a depth out of range, EOPNOTSUPP where the device cannot
   */
  void resize(int depth) throws VerbsException;

  /** The limit armed now, 0 if none is (ibv_query_srq). */
  int armedLimit() throws VerbsException;

  /**
   * @throws VerbsException EBUSY while a queue pair uses it
   */
  @Override
  void close() throws VerbsException;
}
