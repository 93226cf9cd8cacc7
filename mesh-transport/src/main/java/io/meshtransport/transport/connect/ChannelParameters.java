// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.WireToken;
import io.meshtransport.transport.rail.RailId;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * What the two ends of a channel or connection tell each other in the handshake beside their
 * endpoints. Big-endian, version {@value #VERSION}.
 *
 * <pre>
 *   0        1        2        3        4                           8
 *  +--------+--------+--------+--------+---------------------------+
 *  |version | reads  | flags  | name's |     listener id (u32)     |   flags: bit 0 a rail, bit 1 a connection;
 *  |        |        |        | length |                           |   length of the name 0 to 32
 *  +--------+--------+--------+--------+---------------------------+
 *  |        largest message of one work request in bytes (u64)     |
 *  +---------------------------------------------------------------+
 *  |        token (16)                                             |
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |        bundle (u64)                                           |   of a rail only
 *  +-----------------------------------+--------+--------+---------+
 *  |            number (u32)           |  most  |  nics  | more, 0 |   more: the connector's NICs beyond the first,
 *  +-----------------------------------+--------+--------+---------+   0 on a one-way channel; one byte each
 *  |        name of the node (UTF-8)                               |
 *  +-----------------+---------------------------------------------+
 *  | requests (u16)  | hello's length  |   hello (0 to 256 bytes)  |   of a connection only
 *  +-----------------+-----------------+---------------------------+
 * </pre>
 *
 * @param listenerId which of the peer's listeners is meant; the acceptor answers with the same
 * @param maxMessageBytes of the sender of these bytes: parts of a message are as long as the
 *     smaller of both ends' limits
 * @param reads the peer's reads that the sender of these bytes serves at once, 1 to 255
 * @param rail which rail of which channel this is; the acceptor answers with the same
 * @param token of the end that sends these bytes, new for each endpoint: who takes part in its data
 *     connection in software proves to know those of both ends
 * @param name of the node that sends these bytes; empty if it has none
 * @param hello the first bytes of the end that sends these, if a connection is meant and not a
 *     one-way channel; the acceptor answers with hello bytes if the connector had some
 * @param requests of a connection: outstanding at once at each end; the acceptor answers with as
 *     many or fewer
 */
public record ChannelParameters(
    int listenerId,
    long maxMessageBytes,
    int reads,
    Optional<RailId> rail,
    WireToken token,
    String name,
    Optional<ByteBuffer> hello,
    int requests) {
  /** Of a one-way channel of one rail, without a name. */
  static final int LENGTH_BYTES = 16 + WireToken.LENGTH_BYTES;

  private static final int RAIL_BYTES = 2 * Long.BYTES;

  /**
   * Below this the parts of the longest message are more than a {@link ImmediateData} can count.
   */
  public static final long MIN_MESSAGE_BYTES = 8 << 20;

  private static final byte VERSION = 11;
  private static final int READS_OFFSET = 1;
  private static final int FLAGS_OFFSET = 2;
  private static final int RAIL_FLAG = 1;
  private static final int CONNECTION_FLAG = 2;
  private static final int RAIL_RESERVED_BYTES = 1;

  /** Requests, and the length of the hello. */
  private static final int CONNECTION_BYTES = 2 * Short.BYTES;

  /** Checks what the other end could not do anything with. */
  public ChannelParameters {
    Objects.requireNonNull(name, "name");
    if (maxMessageBytes < MIN_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "largest message of "
              + maxMessageBytes
              + " bytes; a channel needs "
              + MIN_MESSAGE_BYTES
              + " at least");
    }
    if (requests < 1 || requests > ConnectOptions.MAX_REQUESTS) {
      throw new IllegalArgumentException(
          "a connection with "
              + requests
              + " requests at once; it must be 1 to "
              + ConnectOptions.MAX_REQUESTS);
    }
  }

  /** Of a one-way channel of one rail, from a node without a name. */
  public ChannelParameters(int listenerId, long maxMessageBytes, int reads, WireToken token) {
    this(
        listenerId,
        maxMessageBytes,
        reads,
        Optional.empty(),
        token,
        "",
        Optional.empty(),
        Transport.MAX_REQUESTS);
  }

  /** Whether a connection is meant, not a one-way channel. */
  public boolean isConnection() {
    return hello.isPresent();
  }

  /** A copy of the first bytes of a connection; empty for none. */
  public byte[] helloBytes() {
    return hello
        .map(
            bytes -> {
              byte[] copy = new byte[bytes.remaining()];
              bytes.get(bytes.position(), copy);
              return copy;
            })
        .orElse(new byte[0]);
  }

  public byte[] encode() {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    byte[] helloBytes = helloBytes();
    ByteBuffer bytes =
        ByteBuffer.allocate(
                LENGTH_BYTES
                    + (rail.isPresent() ? RAIL_BYTES : 0)
                    + nameBytes.length
                    + (isConnection() ? CONNECTION_BYTES + helloBytes.length : 0))
            .put(VERSION)
            .put((byte) reads)
            .put(
                (byte)
                    ((rail.isPresent() ? RAIL_FLAG : 0) | (isConnection() ? CONNECTION_FLAG : 0)))
            .put((byte) nameBytes.length)
            .putInt(listenerId)
            .putLong(maxMessageBytes);
    token.put(bytes);
    rail.ifPresent(ticket -> encode(ticket, bytes));
    bytes.put(nameBytes);
    if (isConnection()) {
      bytes.putShort((short) requests).putShort((short) helloBytes.length).put(helloBytes);
    }
    return bytes.array();
  }

  private static void encode(RailId ticket, ByteBuffer bytes) {
    bytes
        .putLong(ticket.bundle())
        .putInt(ticket.number())
        .put((byte) ticket.most())
        .put((byte) ticket.nics())
        .put((byte) (ticket.connectorNics() - 1))
        .put(new byte[RAIL_RESERVED_BYTES]);
  }

  /**
   * @throws IllegalArgumentException saying what is wrong, if these are not the bytes of this
   *     version
   */
  static ChannelParameters decode(byte[] bytes) {
    if (bytes.length < LENGTH_BYTES || bytes[0] != VERSION) {
      throw new IllegalArgumentException(
          "channel parameters of "
              + bytes.length
              + " bytes, version "
              + (bytes.length == 0 ? "none" : bytes[0])
              + "; this version speaks "
              + LENGTH_BYTES
              + " bytes or more, version "
              + VERSION);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).position(FLAGS_OFFSET);
    int flags = buffer.get();
    int nameBytes = buffer.get() & 0xFF;
    int listenerId = buffer.getInt();
    long maxMessageBytes = buffer.getLong();
    WireToken token = WireToken.get(buffer);
    requireLength(buffer, flags, nameBytes);
    Optional<RailId> rail =
        (flags & RAIL_FLAG) == 0 ? Optional.empty() : Optional.of(ticket(buffer, flags));
    String name = name(buffer, nameBytes);
    int requests =
        (flags & CONNECTION_FLAG) == 0 ? Transport.MAX_REQUESTS : buffer.getShort() & 0xFFFF;
    return new ChannelParameters(
        listenerId,
        maxMessageBytes,
        reads(bytes),
        rail,
        token,
        name,
        hello(buffer, flags),
        requests);
  }

  private static void requireLength(ByteBuffer buffer, int flags, int nameBytes) {
    if ((flags & ~(RAIL_FLAG | CONNECTION_FLAG)) != 0) {
      throw new IllegalArgumentException("channel parameters with the flags " + flags);
    }
    int least =
        ((flags & RAIL_FLAG) == 0 ? 0 : RAIL_BYTES)
            + nameBytes
            + ((flags & CONNECTION_FLAG) == 0 ? 0 : CONNECTION_BYTES);
    boolean isExact = (flags & CONNECTION_FLAG) == 0;
    if (nameBytes > Peer.MAX_NAME_BYTES
        || buffer.remaining() < least
        || isExact && buffer.remaining() != least) {
      throw new IllegalArgumentException(
          "channel parameters of "
              + buffer.capacity()
              + " bytes with the flags "
              + flags
              + " and a name of "
              + nameBytes
              + " bytes");
    }
  }

  private static String name(ByteBuffer buffer, int nameBytes) {
    ByteBuffer utf8 = buffer.slice(buffer.position(), nameBytes);
    buffer.position(buffer.position() + nameBytes);
    try {
      String name = StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
      // Logs and terminals show it.
      if (name.codePoints().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException("a node's name with a control character");
      }
      return name;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a node's name that is not UTF-8", e);
    }
  }

  private static Optional<ByteBuffer> hello(ByteBuffer buffer, int flags) {
    if ((flags & CONNECTION_FLAG) == 0) {
      return Optional.empty();
    }
    int helloBytes = buffer.getShort() & 0xFFFF;
    if (helloBytes > ConnectOptions.MAX_HELLO_BYTES || helloBytes != buffer.remaining()) {
      throw new IllegalArgumentException(
          "a hello of " + helloBytes + " bytes in the " + buffer.remaining() + " that are left");
    }
    return Optional.of(buffer.slice().asReadOnlyBuffer());
  }

  private static RailId ticket(ByteBuffer buffer, int flags) {
    RailId ticket = new RailId(buffer.getLong(), buffer.getInt(), buffer.get(), buffer.get());
    int connectorNics = 1 + (buffer.get() & 0xFF);
    buffer.position(buffer.position() + RAIL_RESERVED_BYTES);
    return (flags & CONNECTION_FLAG) == 0 ? ticket : ticket.withConnectorNics(connectorNics);
  }

  /** The sender's token, if these bytes are of this version. */
  static Optional<WireToken> token(byte[] bytes) {
    return read(bytes).map(ChannelParameters::token);
  }

  /** As {@link #decode}; empty if these are not the bytes of this version. */
  static Optional<ChannelParameters> read(byte[] bytes) {
    try {
      return Optional.of(decode(bytes));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * The reads that the sender of these bytes serves at once; the bytes need not be of this version.
   * 1 where they do not say.
   */
  static int reads(byte[] bytes) {
    return bytes.length > READS_OFFSET ? Math.max(1, bytes[READS_OFFSET] & 0xFF) : 1;
  }
}
