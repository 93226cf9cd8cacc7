// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.rc.WireProof;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What is exchanged on a new connection before its first frame. The dialler begins with the two
 * devices and, legible only to an end that knows it, the stream that it dials for; the acceptor
 * answers once it knows that stream; the dialler proves that it knows it, too, and then frames
 * follow both ways. Big-endian. Reserved bytes are written as zero and ignored when read.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  'M'      'S'      'W'      'P'   |   magic
 *  +--------+--------+--------+--------+
 *  |     version     |        0        |   u16, 5
 *  +--------+--------+--------+--------+
 *  |   source port   | destination port|   u16 each, the devices' wire ports
 *  +--------+--------+--------+--------+
 *  |                 0                 |
 *  +--------+--------+--------+--------+
 *  |          source GID (16)          |
 *  +--------+--------+--------+--------+
 *  |       destination GID (16)        |
 *  +--------+--------+--------+--------+
 *  |           wire id (16)            |   {@link WireProof#id}
 *  +--------+--------+--------+--------+
 *  |        dialler's nonce (16)       |   random
 *  +--------+--------+--------+--------+
 *
 *  the acceptor's answer
 *  +--------+--------+--------+--------+
 *  |       acceptor's nonce (16)       |   random
 *  +--------+--------+--------+--------+
 *  |       acceptor's proof (16)       |   {@link WireProof#ofAcceptor}
 *  +--------+--------+--------+--------+
 *
 *  the dialler's proof
 *  +--------+--------+--------+--------+
 *  |       dialler's proof (16)        |   {@link WireProof#ofDialler}
 *  +--------+--------+--------+--------+
 * </pre>
 */
final class Preamble {
  static final int MAGIC = 0x4D535750;
  static final int VERSION = 5;

  private static final int MAGIC_AT = 0;
  private static final int VERSION_AT = MAGIC_AT + 4;
  private static final int SOURCE_PORT = VERSION_AT + 4;
  private static final int DESTINATION_PORT = SOURCE_PORT + 2;
  private static final int SOURCE_GID = DESTINATION_PORT + 2 + 4;
  private static final int DESTINATION_GID = SOURCE_GID + Gid.LENGTH_BYTES;
  private static final int WIRE_ID = DESTINATION_GID + Gid.LENGTH_BYTES;
  private static final int NONCE = WIRE_ID + WireProof.LENGTH_BYTES;
  static final int LENGTH_BYTES = NONCE + WireProof.NONCE_BYTES;

  /** Of the acceptor's answer. */
  static final int ANSWER_BYTES = WireProof.NONCE_BYTES + WireProof.LENGTH_BYTES;

  private Preamble() {}

  /** The first message, the dialler's. */
  static ByteBuffer encode(DevicePair ends, WireProof.Id stream, byte[] nonce) {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES);
    bytes.putInt(MAGIC_AT, MAGIC);
    bytes.putShort(VERSION_AT, (short) VERSION);
    bytes.putShort(SOURCE_PORT, (short) ends.localPort());
    bytes.putShort(DESTINATION_PORT, (short) ends.remotePort());
    bytes.put(SOURCE_GID, ends.localGid().toBytes());
    bytes.put(DESTINATION_GID, ends.remoteGid().toBytes());
    bytes.put(WIRE_ID, stream.bytes().array());
    bytes.put(NONCE, nonce);
    return bytes;
  }

  /** Whether these bytes are a preamble at all. */
  static boolean isValid(ByteBuffer bytes) {
    return bytes.getInt(MAGIC_AT) == MAGIC && bytes.getShort(VERSION_AT) == VERSION;
  }

  /** The devices that the sender of a valid preamble means, as seen from here, which accepts. */
  static DevicePair ends(ByteBuffer bytes) {
    return new DevicePair(
        Gid.ofBytes(at(bytes, DESTINATION_GID, Gid.LENGTH_BYTES)),
        bytes.getShort(DESTINATION_PORT) & 0xFFFF,
        Gid.ofBytes(at(bytes, SOURCE_GID, Gid.LENGTH_BYTES)),
        bytes.getShort(SOURCE_PORT) & 0xFFFF,
        false);
  }

  /** The stream that it is dialled for. */
  static WireProof.Id wireId(ByteBuffer bytes) {
    return new WireProof.Id(ByteBuffer.wrap(at(bytes, WIRE_ID, WireProof.LENGTH_BYTES)));
  }

  static byte[] nonce(ByteBuffer bytes) {
    return at(bytes, NONCE, WireProof.NONCE_BYTES);
  }

  /** Both nonces, the dialler's first: what proofs on this connection are for. */
  static byte[] session(byte[] diallersNonce, byte[] acceptorsNonce) {
    byte[] both = Arrays.copyOf(diallersNonce, 2 * WireProof.NONCE_BYTES);
    System.arraycopy(acceptorsNonce, 0, both, WireProof.NONCE_BYTES, WireProof.NONCE_BYTES);
    return both;
  }

  /** What the acceptor answers. */
  static ByteBuffer answer(byte[] nonce, byte[] proof) {
    return ByteBuffer.allocate(ANSWER_BYTES).put(nonce).put(proof).flip();
  }

  static byte[] answerNonce(ByteBuffer answer) {
    return at(answer, 0, WireProof.NONCE_BYTES);
  }

  static byte[] answerProof(ByteBuffer answer) {
    return at(answer, WireProof.NONCE_BYTES, WireProof.LENGTH_BYTES);
  }

  private static byte[] at(ByteBuffer bytes, int at, int lengthBytes) {
    byte[] part = new byte[lengthBytes];
    bytes.get(at, part);
    return part;
  }
}
