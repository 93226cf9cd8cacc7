// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;

/**
 * One rank's links to its neighbours, as operations use them. Puts over one link arrive in order,
 * each with its notice; the end of each is reported to {@link Engine#putDone}. Never blocks,
 * allocates nothing.
 */
public interface Links {
  /**
   * Which link to a neighbour a stream uses, where several cables lead there; always the same. What
   * the other methods take.
   */
  default int link(int rank, int stream) {
    return rank;
  }

  /** Whether a put over this link can begin now; if not, one can once a put over it has ended. */
  boolean canPut(int link);

  /** Adds a piece to what the next put writes. */
  void add(
      RegisteredMemory from,
      long fromOffsetBytes,
      long lengthBytes,
      RemoteMemory to,
      long toOffsetBytes);

  /**
   * Begins to write the pieces that were added since the last put, none or more, to a neighbour's
   * memory, and to notify it. Only while {@link #canPut} is so. Over a link that is no more,
   * nothing is sent, and the put ends within this call.
   *
   * @param notice what {@link Engine#notice} gets there, once the bytes are in memory
   * @param userData what {@link Engine#putDone} gets here
   */
  void put(int link, int notice, long userData);
}
