// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.time.Duration;

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
   */
  void connect(String address, boolean initiates)
      throws IOException, TransportException, InterruptedException;

  /** Runs a workload as the end that decides when to begin and to stop. */
  Measurement initiate(Workload workload, Duration warmUp, Duration time)
      throws IOException, TransportException, InterruptedException;

  /** Takes part in the same until the initiator stops. */
  Measurement respond(Workload workload)
      throws IOException, TransportException, InterruptedException;

  @Override
  void close() throws IOException;
}
