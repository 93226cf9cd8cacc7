// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Where work requests report their end (struct ibv_cq). Any thread may poll, one at a time. A queue
 * that overflows is broken: make it as deep as all requests that can be outstanding.
 */
public interface CompletionQueue extends AutoCloseable {
  /** Completions that fit. */
  int depth();

  /**
   * Room for a batch of completions.
   *
   * @param capacity completions of one poll
   */
  Completions newCompletions(int capacity);

  /**
   * Takes completions out, oldest first (ibv_poll_cq). On the soft provider this also moves bytes.
   *
   * @param batch filled from 0; its earlier content is gone
   * @return how many, 0 if none, or a negative errno if the queue is broken
   */
  int poll(Completions batch);

  /**
   * Asks for one event on the channel when the next completion comes (ibv_req_notify_cq).
   * Completions that came before do not raise it: poll once more after this and before waiting.
   *
   * @param solicitedOnly only failures and completions of solicited sends
   * @return 0 or an errno; {@link Errno#EINVAL} if the queue has no channel
   */
  int requestNotify(boolean solicitedOnly);

  /**
   * Changes the depth (ibv_resize_cq); completions in it stay. Not while another thread polls.
   *
   * @param depth at least this many fit afterwards
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
