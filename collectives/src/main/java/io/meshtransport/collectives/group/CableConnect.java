// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.TransportException;

/** Connecting over a cable, or several, in steps: no call waits for a peer. One thread. */
interface CableConnect {
  /**
   * Goes on as far as it can now.
   *
   * @param passedNs since the last call
   * @return whether it is over
   * @throws TransportException if no attempt can begin, or a connection cannot be used
   */
  boolean advance(long passedNs) throws TransportException;

  /** Ends what it has begun, and is not called again. */
  void giveUp();
}
