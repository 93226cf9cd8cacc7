// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import java.nio.ByteBuffer;

/** What is between the header and the trailer of a datagram. Immutable. */
public sealed interface DatagramBody
    permits NeighbourHello, RecordFlood, RecordAcknowledgement, DatabaseSummary {
  /** Its byte in the header. */
  DatagramType type();

  /** Writes it at the buffer's position; its bounds fit the longest datagram. */
  void writeTo(ByteBuffer datagram);
}
