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
   * @param leads whether this end leads
   */
  void connect(String address, boolean leads)
      throws IOException, TransportException, InterruptedException;

  /** Runs a workload as the end that decides when to begin and to stop. */
  Measurement lead(Workload workload, Duration warmUp, Duration time)
      throws IOException, TransportException, InterruptedException;

  /** Takes part in the same until the leader stops. */
  Measurement follow(Workload workload)
      throws IOException, TransportException, InterruptedException;

  @Override
  void close() throws IOException;
}
