// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.TreeSet;

/** A prepared operation at one rank, as the engine drives it. */
interface Operation {
  /** Begins a run; the one before is complete. */
  void start();

  /** Whether the run is complete: all has arrived, and all that was sent has ended. */
  boolean isDone();

  /** A neighbour's notice, with any bits. Answers whether it may come now; if not, ignores it. */
  boolean notice(int rank, int kind, int count, int stream);

  /** A put of this operation has ended. */
  void putDone(int stream, int way);

  /** Does what links allow now. */
  void advance();

  /**
   * Adds the neighbours that this rank waits for: something of theirs has not come, or what it
   * sends them has not arrived. Allocates.
   */
  void missing(TreeSet<Integer> ranks);
}
