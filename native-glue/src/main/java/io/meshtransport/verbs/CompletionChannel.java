// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The channel on which completion queues raise events, so that a thread can sleep until there is
 * something to poll (struct ibv_comp_channel). One thread waits, any thread may wake it.
 */
public interface CompletionChannel extends AutoCloseable {
  /**
   * Waits for an event of any armed completion queue, and acknowledges all events that have
   * arrived.
   *
   * @param timeoutNs max wait in nanoseconds; 0 polls once
   * @return whether there was an event; false after the time, {@link #wakeUp} or an interrupt,
   *     which stays set
   * @throws VerbsException EBADF if the channel is closed, also while waiting
   */
  boolean await(long timeoutNs) throws VerbsException;

  /** Ends the wait that is in progress, or else the next one. Any thread. */
  void wakeUp();

  /**
   * @throws VerbsException EBUSY while a completion queue uses it
   */
  @Override
  void close() throws VerbsException;
}
