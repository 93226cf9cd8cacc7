// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

/** What a relay counts, from its start on. */
public enum RelayCounter {
  /** Chunks of others that were passed on. */
  RELAYED_CHUNKS,

  /** Bytes of them, headers included. */
  RELAYED_BYTES,

  /** Chunks of others that were dropped: their next cable is gone, or this node is not willing. */
  DROPPED_CHUNKS,

  /** Chunks that no correct neighbour sends. */
  INVALID_CHUNKS,

  /** Chunks of this node's own flows that were sent, also those sent again. */
  SENT_CHUNKS,

  /** Chunks that ended here. */
  RECEIVED_CHUNKS,

  /** Chunks for flows that are not known or not wanted here. */
  REFUSED_CHUNKS,

  /** Times that an own flow took another path since the one before had no answer, nor an end. */
  DIVERTED_FLOWS
}
