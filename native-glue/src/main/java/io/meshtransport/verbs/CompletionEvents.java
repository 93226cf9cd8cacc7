// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Waits for the events of any number of completion channels, on all devices of one provider, and
 * reports which channels have one (epoll over the descriptors of struct ibv_comp_channel). A
 * channel without an event costs nothing. Channels join with {@link CompletionChannel#attach}.
 *
 * <p>One thread at a time calls {@link #await}, {@link #next} and {@link #arm}; any thread may call
 * the other methods. Created by {@link VerbsDevice#createCompletionEvents} and closed by its
 * creator.
 */
public interface CompletionEvents extends AutoCloseable {
  /**
   * Waits until a channel has an event. On the soft provider this also sends and receives.
   *
   * @param timeoutNs max wait in nanoseconds; 0 checks once
   * @return whether {@link #next} has a channel to report; false after the time, {@link #wakeUp} or
   *     an interrupt, which stays set
   * @throws VerbsException EBADF if this is closed, also while waiting
   */
  boolean await(long timeoutNs) throws VerbsException;

  /**
   * As {@link #await}, but sends and receives nothing on the soft provider: the devices' own
   * threads do, and the callers that poll.
   */
  boolean awaitUndriven(long timeoutNs) throws VerbsException;

  /**
   * Acknowledges the next event that {@link #await} has found.
   *
   * @return what {@link CompletionChannel#attach} was given for its channel, or null if there is no
   *     further one: then await again. A channel may be reported although its queues are empty
   */
  Object next();

  /**
   * The thread that waits has polled and found nothing: what was posted on the devices of attached
   * channels, and has been put off until then, leaves.
   */
  default void flush() {}

  /** Ends the wait that is in progress, or else the next one. */
  void wakeUp();

  /**
   * A descriptor for the event loop of others: readable once there is an event, or after {@link
   * #wakeUp}. It belongs to this object: never read, write or close it.
   *
   * @throws VerbsException EOPNOTSUPP where there is none: only Linux has one
   */
  int fd() throws VerbsException;

  /**
   * Prepares for a wait on {@link #fd} rather than in {@link #await}: a soft device's own thread
   * sends and receives from now on.
   *
   * @return false if there is an event already, or after {@link #wakeUp}: do not wait
   * @throws VerbsException EBADF if this is closed
   */
  boolean arm() throws VerbsException;

  /** Closes it: the channels that are still attached report nowhere until they are detached. */
  @Override
  void close() throws VerbsException;
}
