// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

/** What happens to a message when the queue to its peer is full. */
public enum QueuePolicy {
  /** The sender waits, until the time-out of its call. */
  WAIT,

  /** The message is refused: the call fails with BUSY. */
  REFUSE,

  /**
   * The oldest message in the queue is dropped, and counted ({@link PeerSession#dropped}); if that
   * was a request, its call fails with BUSY.
   */
  DROP_OLDEST
}
