// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A record on its way to all nodes.
 *
 * <pre>
 *    0  lifetime   u32, ms for which the record is still valid, 0 to 100,000
 *    4  record     a {@link NodeRecord}
 * </pre>
 *
 * @param lifetimeMs ms for which the record is still valid, 0 to {@value #MAX_LIFETIME_MS}
 */
public record RecordFlood(int lifetimeMs, EncodedRecord record) implements DatagramBody {
  /** How long a record is valid that is not refreshed: three refreshes and ten seconds. */
  public static final int MAX_LIFETIME_MS = 100_000;

  static final int MAX_LENGTH_BYTES = Integer.BYTES + NodeRecord.MAX_LENGTH_BYTES;

  public RecordFlood {
    Objects.requireNonNull(record, "record");
    if (lifetimeMs < 0 || lifetimeMs > MAX_LIFETIME_MS) {
      throw new IllegalArgumentException("lifetime " + lifetimeMs + " ms is not 0 to 100,000");
    }
  }

  @Override
  public DatagramType type() {
    return DatagramType.RECORD;
  }

  @Override
  public void writeTo(ByteBuffer datagram) {
    datagram.putInt(lifetimeMs);
    record.writeTo(datagram);
  }

  /** Reads the whole body or refuses it. */
  public static RecordFlood decode(BodyReader body) throws MalformedDatagram {
    int lifetimeMs = body.i32();
    EncodedRecord record = EncodedRecord.decode(body.rest(NodeRecord.MAX_LENGTH_BYTES));
    try {
      return new RecordFlood(lifetimeMs, record);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
