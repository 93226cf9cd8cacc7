// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The queue on which work requests complete (struct ibv_cq). Any thread may poll, one at a time. A
 * queue that overflows is broken: make it as deep as the number of requests that can be
 * outstanding.
 */
public interface CompletionQueue extends AutoCloseable {
  /** Completions that fit. */
  int depth();

  /**
   * Allocates a batch for {@link #poll}.
   *
   * @param capacity max completions of one poll
   */
  WorkCompletions newCompletions(int capacity);

  /**
   * Polls completions, oldest first (ibv_poll_cq). On the soft provider this also sends and
   * receives.
   *
   * @param batch overwritten from index 0
   * @return number of completions, or a negative errno if the queue is broken
   */
  int poll(WorkCompletions batch);

  /**
   * Requests one event on the channel for the next completion (ibv_req_notify_cq). Completions that
   * are in the queue already raise none: poll once more after this call and before waiting.
   *
   * @param solicitedOnly only failures and completions of solicited sends
   * @return 0 or an errno; {@link Errno#EINVAL} if the queue has no channel
   */
  int requestNotify(boolean solicitedOnly);

  /**
   * Changes the depth (ibv_resize_cq); completions in it stay. Not while another thread polls.
   *
   * @param depth min completions that fit afterwards
   * @throws VerbsException EINVAL for a depth out of range or less than the completions in it now,
   *     EOPNOTSUPP where the provider cannot
   */
  default void resize(int depth) throws VerbsException {
    throw VerbsException.notOffered("resizing a completion queue");
  }

  /**
   * @throws VerbsException EBUSY while a queue pair uses it
   */
  @Override
  void close() throws VerbsException;
}
