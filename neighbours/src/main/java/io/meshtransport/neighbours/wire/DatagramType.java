// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

/** What a datagram carries; the code is its byte on the wire. */
public enum DatagramType {
  /** {@link NeighbourHello}. */
  HELLO(1),
  /** {@link RecordFlood}. */
  RECORD(2),
  /** {@link RecordAcknowledgement}. */
  ACKNOWLEDGEMENT(3),
  /** {@link DatabaseSummary}. */
  SUMMARY(4);

  private static final DatagramType[] VALUES = values();

  private final int code;

  DatagramType(int code) {
    this.code = code;
  }

  /** The byte on the wire. */
  public int code() {
    return code;
  }

  static DatagramType ofCode(int code) throws MalformedDatagram {
    for (DatagramType type : VALUES) {
      if (type.code == code) {
        return type;
      }
    }
    throw new MalformedDatagram("type " + code + " is unknown");
  }
}
