// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Route;

/** A channel that may have to defer work until its peer has receives for it. Any thread. */
public interface DeferringChannel {
  /** The route, for texts. */
  Route route();

  /**
   * Polls while work is deferred, for a program that does not. Never waits for the channel's lock:
   * the thread that has it polls.
   *
   * @return whether any work still is deferred
   */
  boolean pollDeferred();
}
