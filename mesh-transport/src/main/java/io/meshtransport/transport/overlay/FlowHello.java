// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.softverbs.rc.WireProof;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What is exchanged on a new flow before its first frame. The dialler names the stream, legible
 * only to an end that knows it; the acceptor answers once its end of that stream is there; the
 * dialler proves that it knows it, too, and then frames follow both ways. Big-endian. Reserved
 * bytes are written as zero and ignored when read. Stateless.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  'M'      'S'      'W'      'F'   |   magic
 *  +--------+--------+--------+--------+
 *  |     version     |        0        |   u16, 1
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
final class FlowHello {
  static final int MAGIC = 0x4D535746;
  static final int VERSION = 1;

  private static final int MAGIC_AT = 0;
  private static final int VERSION_AT = MAGIC_AT + 4;
  private static final int WIRE_ID_AT = VERSION_AT + 4;
  private static final int NONCE_AT = WIRE_ID_AT + WireProof.LENGTH_BYTES;
  static final int HELLO_BYTES = NONCE_AT + WireProof.NONCE_BYTES;

  private static final int PROOF_AT = WireProof.NONCE_BYTES;
  static final int ANSWER_BYTES = PROOF_AT + WireProof.LENGTH_BYTES;
  static final int PROOF_BYTES = WireProof.LENGTH_BYTES;

  private FlowHello() {}

  static ByteBuffer hello(WireProof.Id stream, byte[] nonce) {
    ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES);
    hello.putInt(MAGIC_AT, MAGIC);
    hello.putShort(VERSION_AT, (short) VERSION);
    hello.put(WIRE_ID_AT, stream.bytes(), 0, WireProof.LENGTH_BYTES);
    return hello.put(NONCE_AT, nonce);
  }

  /** Whether it can be the beginning of a flow. */
  static boolean isHello(ByteBuffer hello) {
    return hello.getInt(MAGIC_AT) == MAGIC && hello.getShort(VERSION_AT) == VERSION;
  }

  /** The stream that a hello names. */
  static WireProof.Id stream(ByteBuffer hello) {
    return new WireProof.Id(ByteBuffer.wrap(bytes(hello, WIRE_ID_AT, WireProof.LENGTH_BYTES)));
  }

  /** The dialler's. */
  static byte[] helloNonce(ByteBuffer hello) {
    return bytes(hello, NONCE_AT, WireProof.NONCE_BYTES);
  }

  static ByteBuffer answer(byte[] nonce, byte[] proof) {
    return ByteBuffer.allocate(ANSWER_BYTES).put(0, nonce).put(PROOF_AT, proof);
  }

  /** The acceptor's. */
  static byte[] answerNonce(ByteBuffer answer) {
    return bytes(answer, 0, WireProof.NONCE_BYTES);
  }

  static byte[] answerProof(ByteBuffer answer) {
    return bytes(answer, PROOF_AT, WireProof.LENGTH_BYTES);
  }

  /** Both nonces of a flow, as proofs have them. */
  static byte[] session(byte[] ofDialler, byte[] ofAcceptor) {
    byte[] session = Arrays.copyOf(ofDialler, 2 * WireProof.NONCE_BYTES);
    System.arraycopy(ofAcceptor, 0, session, WireProof.NONCE_BYTES, WireProof.NONCE_BYTES);
    return session;
  }

  static byte[] bytes(ByteBuffer from, int at, int count) {
    byte[] copy = new byte[count];
    from.get(at, copy);
    return copy;
  }
}
