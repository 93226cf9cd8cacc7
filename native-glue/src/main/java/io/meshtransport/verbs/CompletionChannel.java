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
   * From now on its events are also reported by a {@link CompletionEvents}, until {@link #detach}
   * or {@link #close}. A channel is at one of them at a time. Where both wait, either may
   * acknowledge an event, and the other may miss it. Any thread.
   *
   * @param context what {@link CompletionEvents#next} reports for this channel, not null
   * @throws VerbsException EINVAL if the events are another provider's, EBUSY if it is attached
   *     already, EBADF if one of both is closed
   */
  void attach(CompletionEvents events, Object context) throws VerbsException;

  /** Ends {@link #attach}; does nothing if it is not attached. Any thread. */
  void detach();

  /**
   * @throws VerbsException EBUSY while a completion queue uses it
   */
  @Override
  void close() throws VerbsException;
}
