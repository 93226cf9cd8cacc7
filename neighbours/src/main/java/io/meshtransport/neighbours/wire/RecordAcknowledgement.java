// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import java.nio.ByteBuffer;

/** Says that the sender has this version of a record: 36 bytes, a {@link RecordVersion}. */
public record RecordAcknowledgement(RecordVersion version) implements DatagramBody {
  @Override
  public DatagramType type() {
    return DatagramType.ACKNOWLEDGEMENT;
  }

  @Override
  public void writeTo(ByteBuffer datagram) {
    version.writeTo(datagram);
  }

  /** Reads the whole body or refuses it. */
  public static RecordAcknowledgement decode(BodyReader body) throws MalformedDatagram {
    RecordVersion version = RecordVersion.read(body);
    body.end();
    return new RecordAcknowledgement(version);
  }
}
