// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.SharedSecret;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Encodes datagrams and checks their trailers: with a secret an HMAC-SHA-256 over every byte before
 * it, else a CRC-32C, which detects damage and foreign programs but no attacker. Immutable; any
 * thread.
 */
public final class DatagramSeal {
  /** Label of the MAC, so that no MAC of a handshake can stand in for one of a datagram. */
  static final String LABEL = "neighbours 1";

  static final int CRC_BYTES = Integer.BYTES;

  /** Max length of a datagram: the longest record in the longest trailer. */
  public static final int MAX_DATAGRAM_BYTES =
      DatagramHeader.LENGTH_BYTES + RecordFlood.MAX_LENGTH_BYTES + SharedSecret.MAC_BYTES;

  private final Optional<SharedSecret> secret;

  /**
   * @param secret empty if every host on a cable may be a neighbour
   */
  public DatagramSeal(Optional<SharedSecret> secret) {
    this.secret = secret;
  }

  private int trailerBytes() {
    return secret.isPresent() ? SharedSecret.MAC_BYTES : CRC_BYTES;
  }

  /** The whole datagram. */
  public byte[] encode(DatagramHeader header, DatagramBody body) {
    if (header.type() != body.type()) {
      throw new IllegalArgumentException(body.type() + " under a header of " + header.type());
    }
    ByteBuffer datagram = ByteBuffer.allocate(MAX_DATAGRAM_BYTES);
    header.writeTo(datagram);
    body.writeTo(datagram);
    int lengthBytes = datagram.position() + trailerBytes();
    datagram.putShort(DatagramHeader.LENGTH_OFFSET, (short) lengthBytes);
    if (secret.isPresent()) {
      datagram.putShort(DatagramHeader.FLAGS_OFFSET, (short) DatagramHeader.FLAG_MAC);
    }
    byte[] content = Arrays.copyOf(datagram.array(), datagram.position());
    return datagram.put(trailer(content)).flip().limit() == lengthBytes
        ? Arrays.copyOf(datagram.array(), lengthBytes)
        : fail(lengthBytes);
  }

  private static byte[] fail(int lengthBytes) {
    throw new IllegalStateException("a datagram has not the " + lengthBytes + " bytes it says");
  }

  /** Whether the trailer is of this secret, or of none, and of these bytes. */
  public boolean matches(byte[] datagram) {
    int contentBytes = datagram.length - trailerBytes();
    if (contentBytes < DatagramHeader.LENGTH_BYTES || hasMac(datagram) != secret.isPresent()) {
      return false;
    }
    byte[] content = Arrays.copyOf(datagram, contentBytes);
    byte[] carried = Arrays.copyOfRange(datagram, contentBytes, datagram.length);
    return MessageDigest.isEqual(trailer(content), carried);
  }

  /**
   * How the secret of the sender differs from this node's, if the datagram arrived undamaged from a
   * node that has another secret, or none where this node has one, or one where this node has none.
   * Of a MAC only its presence is known. Empty for one that matches or is damaged.
   */
  public Optional<OtherSecret.Difference> difference(byte[] datagram) {
    if (matches(datagram)) {
      return Optional.empty();
    }
    if (hasMac(datagram)) {
      return datagram.length < DatagramHeader.LENGTH_BYTES + SharedSecret.MAC_BYTES
          ? Optional.empty()
          : Optional.of(
              secret.isPresent()
                  ? OtherSecret.Difference.DIFFERENT
                  : OtherSecret.Difference.ONLY_THERE);
    }
    return secret.isPresent() && new DatagramSeal(Optional.empty()).matches(datagram)
        ? Optional.of(OtherSecret.Difference.ONLY_HERE)
        : Optional.empty();
  }

  private static boolean hasMac(byte[] datagram) {
    return (datagram[DatagramHeader.FLAGS_OFFSET + 1] & DatagramHeader.FLAG_MAC) != 0;
  }

  /** A reader of the body of a datagram whose trailer is of the kind that its flags say. */
  public static BodyReader body(byte[] datagram) throws MalformedDatagram {
    int trailerBytes = hasMac(datagram) ? SharedSecret.MAC_BYTES : CRC_BYTES;
    int lengthBytes = datagram.length - DatagramHeader.LENGTH_BYTES - trailerBytes;
    if (lengthBytes < 0) {
      throw new MalformedDatagram("the datagram has no trailer");
    }
    return new BodyReader(ByteBuffer.wrap(datagram, DatagramHeader.LENGTH_BYTES, lengthBytes));
  }

  private byte[] trailer(byte[] content) {
    if (secret.isPresent()) {
      return secret.get().mac(LABEL, content);
    }
    CRC32C crc = new CRC32C();
    crc.update(content);
    return ByteBuffer.allocate(CRC_BYTES).putInt((int) crc.getValue()).array();
  }
}
