// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.nic.Gid;
import java.nio.ByteBuffer;

/**
 * The two nodes, the connection's nonce and the sender's queue pair. Big-endian.
 *
 * <pre>
 *        0        1        2        3
 *    0  +--------+--------+--------+--------+
 *       |  {@link HandshakeFrameHeader}, type 1 or 2        |   1 from the connector, 2 from the acceptor
 *    8  +--------+--------+--------+--------+
 *       |  node id of the sender            |   16 bytes
 *   24  +--------+--------+--------+--------+
 *       |  node id the sender means         |   16 bytes; anyone else refuses with WRONG_NODE
 *   40  +--------+--------+--------+--------+
 *       |  connection nonce                 |   16 bytes, drawn by the connector, echoed in type 2
 *   56  +--------+--------+--------+--------+
 *       |  reserved (8 bytes)               |   0, ignored
 *   64  +--------+--------+--------+--------+
 *       | sender's NIC    | receiver's NIC  |   u16 indices, each in its owner's order
 *   68  +--------+--------+--------+--------+
 *       |  capabilities (u32)               |   bit 0: the sender has a secret; others 0, ignored
 *   72  +--------+--------+--------+--------+
 *       |  queue pair number (u32)          |   24 bits used; refuse anything above 0xFFFFFF
 *   76  +--------+--------+--------+--------+
 *       |  packet sequence number (u32)     |   24 bits used; refuse anything above 0xFFFFFF
 *   80  +--------+--------+--------+--------+
 *       |  GID                              |   16 bytes
 *   96  +--------+--------+--------+--------+
 *       |  MTU in bytes (u32)               |   1 to 2^31-1
 *  100  +--------+--------+--------+--------+
 *       | data port (u16) | parameters' len |   length u16, 0 to 512, exactly what remains
 *  104  +--------+--------+--------+--------+
 *       |  parameters of the layer above    |
 *       +--------+--------+--------+--------+
 *       |  CRC-32C                          |
 *       +--------+--------+--------+--------+
 * </pre>
 *
 * @param type HELLO_CONNECT or HELLO_ACCEPT
 * @param senderNicIndex 0 to 65535
 * @param receiverNicIndex 0 to 65535
 */
record Hello(
    HandshakeFrameType type,
    NodeId sender,
    NodeId receiver,
    ConnectionNonce nonce,
    int senderNicIndex,
    int receiverNicIndex,
    int capabilities,
    QueuePairAddress endpoint)
    implements OpeningFrame {
  /** Capability bit: the TCP connection may stay open after READY, for the next HELLO. */
  static final int CAPABILITY_KEEP_CONNECTION = 2;

  static final int SENDER_OFFSET = HandshakeFrameHeader.LENGTH_BYTES;
  static final int RECEIVER_OFFSET = SENDER_OFFSET + NodeId.LENGTH_BYTES;
  static final int NONCE_OFFSET = RECEIVER_OFFSET + NodeId.LENGTH_BYTES;
  static final int RESERVED_OFFSET = NONCE_OFFSET + ConnectionNonce.LENGTH_BYTES;
  static final int SENDER_NIC_OFFSET = RESERVED_OFFSET + Long.BYTES;
  static final int RECEIVER_NIC_OFFSET = SENDER_NIC_OFFSET + Short.BYTES;
  static final int CAPABILITIES_OFFSET = RECEIVER_NIC_OFFSET + Short.BYTES;
  static final int QP_NUMBER_OFFSET = CAPABILITIES_OFFSET + Integer.BYTES;
  static final int PSN_OFFSET = QP_NUMBER_OFFSET + Integer.BYTES;
  static final int GID_OFFSET = PSN_OFFSET + Integer.BYTES;
  static final int MTU_OFFSET = GID_OFFSET + Gid.LENGTH_BYTES;
  static final int DATA_PORT_OFFSET = MTU_OFFSET + Integer.BYTES;
  static final int PARAMETERS_LENGTH_OFFSET = DATA_PORT_OFFSET + Short.BYTES;
  static final int PARAMETERS_OFFSET = PARAMETERS_LENGTH_OFFSET + Short.BYTES;

  static final int MIN_LENGTH_BYTES = PARAMETERS_OFFSET + HandshakeFrameHeader.CRC_LENGTH_BYTES;
  static final int MAX_LENGTH_BYTES = MIN_LENGTH_BYTES + QueuePairAddress.MAX_PARAMETERS_BYTES;

  /** Whether the sender keeps the TCP connection open after READY. */
  boolean keepsConnection() {
    return (capabilities & CAPABILITY_KEEP_CONNECTION) != 0;
  }

  /** Whether this is the acceptor's HELLO. */
  boolean isAnswer() {
    return type == HandshakeFrameType.HELLO_ACCEPT;
  }

  /** The acceptor's answer to this HELLO. */
  Hello answer(int answerCapabilities, QueuePairAddress answerEndpoint) {
    return new Hello(
        HandshakeFrameType.HELLO_ACCEPT,
        receiver,
        sender,
        nonce,
        receiverNicIndex,
        senderNicIndex,
        answerCapabilities,
        answerEndpoint);
  }

  /** The content for the {@link Acceptor}. */
  PeerHello toPeerHello() {
    return new PeerHello(nonce, sender, receiverNicIndex, senderNicIndex, endpoint);
  }

  @Override
  public byte[] encode() {
    ByteBuffer frame =
        HandshakeFrameHeader.begin(type, MIN_LENGTH_BYTES + endpoint.parametersLengthBytes());
    sender.writeTo(frame, SENDER_OFFSET);
    receiver.writeTo(frame, RECEIVER_OFFSET);
    nonce.writeTo(frame, NONCE_OFFSET);
    frame
        .putShort(SENDER_NIC_OFFSET, (short) senderNicIndex)
        .putShort(RECEIVER_NIC_OFFSET, (short) receiverNicIndex)
        .putInt(CAPABILITIES_OFFSET, capabilities)
        .putInt(QP_NUMBER_OFFSET, endpoint.qpNumber())
        .putInt(PSN_OFFSET, endpoint.psn())
        .put(GID_OFFSET, endpoint.gid().toBytes())
        .putInt(MTU_OFFSET, endpoint.mtuBytes())
        .putShort(DATA_PORT_OFFSET, (short) endpoint.dataPort())
        .putShort(PARAMETERS_LENGTH_OFFSET, (short) endpoint.parametersLengthBytes())
        .put(PARAMETERS_OFFSET, endpoint.parameters());
    return HandshakeFrameHeader.seal(frame);
  }

  static Hello decodeBody(HandshakeFrameType type, byte[] bytes) throws WireException {
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    return new Hello(
        type,
        NodeId.readFrom(frame, SENDER_OFFSET),
        NodeId.readFrom(frame, RECEIVER_OFFSET),
        ConnectionNonce.readFrom(frame, NONCE_OFFSET),
        Short.toUnsignedInt(frame.getShort(SENDER_NIC_OFFSET)),
        Short.toUnsignedInt(frame.getShort(RECEIVER_NIC_OFFSET)),
        frame.getInt(CAPABILITIES_OFFSET),
        decodeEndpoint(frame));
  }

  private static QueuePairAddress decodeEndpoint(ByteBuffer frame) throws WireException {
    byte[] parameters = new byte[frame.capacity() - MIN_LENGTH_BYTES];
    int stated = Short.toUnsignedInt(frame.getShort(PARAMETERS_LENGTH_OFFSET));
    if (stated != parameters.length) {
      throw new WireException(
          Reason.GARBAGE,
          "HELLO states %d bytes of parameters and has %d".formatted(stated, parameters.length));
    }
    frame.get(PARAMETERS_OFFSET, parameters);
    byte[] gid = new byte[Gid.LENGTH_BYTES];
    frame.get(GID_OFFSET, gid);
    try {
      return new QueuePairAddress(
          frame.getInt(QP_NUMBER_OFFSET),
          frame.getInt(PSN_OFFSET),
          Gid.ofBytes(gid),
          frame.getInt(MTU_OFFSET),
          Short.toUnsignedInt(frame.getShort(DATA_PORT_OFFSET)),
          parameters);
    } catch (IllegalArgumentException e) {
      throw new WireException(Reason.GARBAGE, e.getMessage());
    }
  }
}
