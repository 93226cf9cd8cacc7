// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;

/**
 * Connections, numbered from 0 on, on which one thread posts requests, and where it learns which of
 * them have ended. All requests of a connection are of one kind, sends or receives.
 */
interface PolledConnections {
  /** What is done with the end of a request; may post another. */
  interface Completion {
    /**
     * @param connection whose oldest request has ended
     * @param lengthBytes of its message
     */
    void completed(int connection, long lengthBytes) throws TransportException;
  }

  /** How many there are. */
  int count();

  /**
   * Posts a send or a receive of a part of the memory of all messages.
   *
   * @throws TransportException if the connection has failed
   */
  void post(int connection, long offsetBytes, long lengthBytes) throws TransportException;

  /**
   * Makes progress and reports requests that have ended, in the order of each connection.
   *
   * @param timeoutNs max wait for the first, where connections can be waited for together;
   *     otherwise this returns at once
   * @return how many were reported
   * @throws TransportException if a connection has failed
   */
  int poll(Completion completion, long timeoutNs) throws TransportException;
}
