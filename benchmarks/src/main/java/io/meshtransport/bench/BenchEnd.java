// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;
import java.io.IOException;

/**
 * One end of two that measure with each other: over Mesh Transport, or over what others use. One
 * thread at a time; the creator closes it.
 */
interface BenchEnd extends AutoCloseable {
  /** What the other end needs to connect to this one. */
  String address();

  /**
   * Connects with the other end, which does the same at the same time.
   *
   * @param address the other's
   * @param initiates whether this end initiates
   * @param connections how many, 1 or more
   * @throws IllegalArgumentException if this kind of end has no more than one
   */
  void connect(String address, boolean initiates, int connections)
      throws IOException, TransportException, InterruptedException;

  /**
   * Has this node, which is between two ends, pass on what one of them sends to the other. Ends
   * whose nodes between need not be told do nothing.
   *
   * @param address of the end that does not initiate
   */
  default void passOn(String address) throws IOException {}

  /** Runs a workload as the end that decides when to begin and to stop. */
  Measurement initiate(Workload workload, RunClock clock)
      throws IOException, TransportException, InterruptedException;

  /**
   * Takes part in the same until the initiator stops.
   *
   * @param clock of the same length, for what is measured where it arrives
   */
  Measurement respond(Workload workload, RunClock clock)
      throws IOException, TransportException, InterruptedException;

  /** Throws unless there is to be one connection only. */
  static void requireOne(int connections) {
    if (connections != 1) {
      throw new IllegalArgumentException("one connection, not " + connections);
    }
  }

  @Override
  void close() throws IOException;
}
