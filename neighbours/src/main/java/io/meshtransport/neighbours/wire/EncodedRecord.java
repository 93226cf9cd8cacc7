// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import java.nio.ByteBuffer;

/**
 * A record with its bytes as its origin wrote them. Nodes pass those bytes on: one that reads fewer
 * flags than the origin wrote would otherwise spread another record under the same version.
 * Immutable.
 */
public final class EncodedRecord {
  private final NodeRecord record;
  private final byte[] bytes;
  private final RecordVersion version;

  private EncodedRecord(NodeRecord record, byte[] bytes) {
    this.record = record;
    this.bytes = bytes;
    this.version = record.version(bytes);
  }

  /**
   * Encodes a record of this node.
   *
   * @throws IllegalArgumentException if it is too long
   */
  public static EncodedRecord of(NodeRecord record) {
    return new EncodedRecord(record, record.encode());
  }

  static EncodedRecord decode(byte[] bytes) throws MalformedDatagram {
    BodyReader reader = new BodyReader(ByteBuffer.wrap(bytes));
    NodeRecord record = NodeRecord.read(reader);
    reader.end();
    return new EncodedRecord(record, bytes);
  }

  /** What the bytes mean. */
  public NodeRecord record() {
    return record;
  }

  /** Origin, incarnation, sequence and hash. */
  public RecordVersion version() {
    return version;
  }

  /** Length of the bytes. */
  public int lengthBytes() {
    return bytes.length;
  }

  void writeTo(ByteBuffer datagram) {
    datagram.put(bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EncodedRecord that
        && version.equals(that.version)
        && record.equals(that.record);
  }

  @Override
  public int hashCode() {
    return version.hashCode();
  }

  @Override
  public String toString() {
    return record.toString();
  }
}
