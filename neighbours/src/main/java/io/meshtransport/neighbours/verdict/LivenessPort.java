// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import io.meshtransport.neighbours.adjacency.AdjacencyId;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

/**
 * Opens a connection per cable to the neighbour's host, on which nothing is sent: its kernel
 * accepts for a process that is stopped, refuses where the process is gone, and ends the connection
 * when the process dies. Blocks on nothing; the answers come as calls of {@link Verdicts#answered}
 * and {@link Verdicts#ended}, never from within these.
 */
public interface LivenessPort {
  /** Time after which an attempt counts as unanswered. */
  long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Never answers. */
  LivenessPort NONE =
      new LivenessPort() {
        @Override
        public void probe(AdjacencyId cable, InetAddress address) {}

        @Override
        public void release(AdjacencyId cable) {}
      };

  /**
   * Opens a connection; one answer follows. An accepted one replaces that which the cable has, and
   * stays open until it ends or is released.
   */
  void probe(AdjacencyId cable, InetAddress address);

  /** Closes what the cable has; no answer of it follows. */
  void release(AdjacencyId cable);
}
