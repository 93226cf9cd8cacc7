// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pins every byte of every frame: a change here is a new version of the wire. */
class FrameGoldenTest {
  private static final String SENDER = "101112131415161718191a1b1c1d1e1f";
  private static final String RECEIVER = "202122232425262728292a2b2c2d2e2f";
  private static final String NONCE = "303132333435363738393a3b3c3d3e3f";
  private static final String GID = "404142434445464748494a4b4c4d4e4f";
  private static final String COUNTING =
      "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f";

  private static final String HANDLE =
      "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728";

  private static final String HELLO_BODY =
      SENDER
          + RECEIVER
          + NONCE
          + "0000000000000000" // reserved
          + "60617071" // NIC indices
          + "00000001" // capabilities
          + "00a1a2a3" // queue pair number
          + "00b1b2b3" // packet sequence number
          + GID
          + "00001000" // MTU
          + "c1c20003" // data port, length of the parameters
          + "d1d2d3";

  private static void pin(String golden, HandshakeFrame frame) throws Exception {
    byte[] bytes = frame.encode();
    assertEquals(golden, HexFormat.of().formatHex(bytes));
    assertEquals(
        golden,
        HexFormat.of().formatHex(HandshakeFrame.decode(bytes).encode()),
        "what is read must be what was written");
  }

  @Test
  void shouldWriteHelloOfTheConnectorAsDrawn() throws Exception {
    pin(
        "4d455348" + "0101006f" + HELLO_BODY + "8ff4829e",
        Samples.hello(HandshakeFrameType.HELLO_CONNECT));
  }

  @Test
  void shouldWriteHelloOfTheAcceptorAsDrawn() throws Exception {
    pin(
        "4d455348" + "0102006f" + HELLO_BODY + "f837864d",
        Samples.hello(HandshakeFrameType.HELLO_ACCEPT));
  }

  @Test
  void shouldWriteChallengeAsDrawn() throws Exception {
    pin(
        "4d455348" + "0103003c" + NONCE + COUNTING + "a6c5f33a",
        new Challenge(Samples.NONCE, Samples.counting(0x80, Challenge.RANDOM_BYTES)));
  }

  @Test
  void shouldWriteProofAsDrawn() throws Exception {
    pin(
        "4d455348" + "0104003c" + NONCE + COUNTING + "091d56a8",
        new Proof(Samples.NONCE, Samples.counting(0x80, SharedSecret.MAC_BYTES)));
  }

  @Test
  void shouldWriteReadyAsDrawn() throws Exception {
    pin("4d455348" + "0105001c" + NONCE + "fba229d7", new Ready(Samples.NONCE));
  }

  @Test
  void shouldWriteQueryAsDrawn() throws Exception {
    pin(
        "4d455348" + "01070028" + NONCE + "0000000000000000" + "00000001" + "38b975b5",
        new HandleQuery(Samples.NONCE, 1));
  }

  @Test
  void shouldIgnoreReservedBytes() throws Exception {
    for (HandshakeFrame frame :
        List.of(
            Samples.hello(HandshakeFrameType.HELLO_CONNECT),
            Samples.hello(HandshakeFrameType.HELLO_ACCEPT),
            new HandleQuery(Samples.NONCE, 1))) {
      byte[] later = frame.encode();
      int reserved = frame instanceof Hello ? Hello.RESERVED_OFFSET : HandleQuery.RESERVED_OFFSET;
      Arrays.fill(later, reserved, reserved + Long.BYTES, (byte) 0xA5);
      assertEquals(
          frame, HandshakeFrame.decode(HandshakeFrameHeader.seal(java.nio.ByteBuffer.wrap(later))));
    }
  }

  @Test
  void shouldWriteHandleAsDrawn() throws Exception {
    pin(
        "4d455348"
            + "01080048"
            + NONCE
            + "0028" // length of the handle
            + "0000" // reserved
            + HANDLE
            + "b2d917c3",
        new HandleAnswer(Samples.NONCE, Samples.counting(1, PeerHandle.MIN_LENGTH_BYTES)));
  }

  @Test
  void shouldRefuseALengthOfTheHandleThatDoesNotFitTheFrame() {
    byte[] frame =
        new HandleAnswer(Samples.NONCE, Samples.counting(1, PeerHandle.MIN_LENGTH_BYTES)).encode();
    frame[HandleAnswer.HANDLE_LENGTH_OFFSET + 1]++;
    byte[] sealed = HandshakeFrameHeader.seal(java.nio.ByteBuffer.wrap(frame));
    WireException refused = assertThrows(WireException.class, () -> HandshakeFrame.decode(sealed));
    assertEquals(Reason.GARBAGE, refused.reason());
  }

  @Test
  void shouldPinWhatProofsOfAQueryAreMadeOf() {
    SharedSecret secret = SharedSecret.of("correct horse battery staple");
    byte[] query = new HandleQuery(Samples.NONCE, 1).encode();
    byte[] challenge =
        new Challenge(Samples.NONCE, Samples.counting(0x80, Challenge.RANDOM_BYTES)).encode();
    byte[] handle =
        new HandleAnswer(Samples.NONCE, Samples.counting(1, PeerHandle.MIN_LENGTH_BYTES)).encode();
    assertEquals(
        "1a37cd4b9d6d45828804354a2b044be8bcd5f9265e78d462677c212701a681da",
        HexFormat.of().formatHex(secret.proveAsker(query, challenge)));
    assertEquals(
        "30115c900fd4dc6ccecb7dad8510486ab79c957aba7d776d7f9f40e74a58cbd0",
        HexFormat.of().formatHex(secret.proveAnswerer(query, challenge, handle)));
  }

  @Test
  void shouldWriteRefuseAsDrawn() throws Exception {
    pin(
        "4d455348" + "01060012" + "0002" + "0002" + "6e6f" + "5ff04e1c",
        new Refuse(Reason.WRONG_NODE, "no"));
  }

  @Test
  void shouldPinWhatProofsAreMadeOf() {
    SharedSecret secret = SharedSecret.of("correct horse battery staple");
    byte[] hello = Samples.hello(HandshakeFrameType.HELLO_CONNECT).encode();
    byte[] challenge =
        new Challenge(Samples.NONCE, Samples.counting(0x80, Challenge.RANDOM_BYTES)).encode();
    byte[] back = Samples.hello(HandshakeFrameType.HELLO_ACCEPT).encode();
    assertEquals(
        "9e261d103490b517305edf4f44c1171a5cb2e3b42ee2dbb96ea7dbac511d4ba8",
        HexFormat.of().formatHex(secret.proveConnector(hello, challenge)));
    assertEquals(
        "4b71b18f3229d9c7582837b2fd1f344767d97b2c76f2b44b781c0cbc20ac304a",
        HexFormat.of().formatHex(secret.proveAcceptor(hello, challenge, back)));
  }

  @Test
  void shouldCutTheTextOfARefusalAtAWholeCharacter() throws Exception {
    // 255 bytes, then a character of three: it must go as a whole.
    Refuse refuse = new Refuse(Reason.BUSY, "x".repeat(255) + "\u20ac");
    Refuse read = (Refuse) HandshakeFrame.decode(refuse.encode());
    assertEquals("x".repeat(255), read.text());
    assertEquals(255, read.text().getBytes(StandardCharsets.UTF_8).length);
  }

  @Test
  void shouldNotLetAPeerWriteControlCharactersIntoOurLogs() throws Exception {
    Refuse refuse = new Refuse(Reason.BUSY, "a\n\u001b[31mb");
    assertEquals("a??[31mb", ((Refuse) HandshakeFrame.decode(refuse.encode())).text());
  }

  @Test
  void shouldReadAReasonOfALaterVersionAsARefusal() throws Exception {
    byte[] frame = new Refuse(Reason.BUSY, "").encode();
    frame[Refuse.REASON_OFFSET + 1] = (byte) 200;
    byte[] sealed = HandshakeFrameHeader.seal(java.nio.ByteBuffer.wrap(frame));
    assertEquals(Reason.REFUSED_BY_PEER, ((Refuse) HandshakeFrame.decode(sealed)).reason());
  }

  @Test
  void shouldIgnoreCapabilitiesItDoesNotKnow() throws Exception {
    byte[] frame = Samples.hello(HandshakeFrameType.HELLO_CONNECT).encode();
    frame[Hello.CAPABILITIES_OFFSET] = (byte) 0x80;
    Hello read =
        (Hello) HandshakeFrame.decode(HandshakeFrameHeader.seal(java.nio.ByteBuffer.wrap(frame)));
    assertEquals(true, read.hasSecret());
  }

  @Test
  void shouldRefuseNumbersOfMoreThan24Bits() {
    for (int offset : new int[] {Hello.QP_NUMBER_OFFSET, Hello.PSN_OFFSET}) {
      byte[] frame = Samples.hello(HandshakeFrameType.HELLO_CONNECT).encode();
      frame[offset] = 1;
      byte[] sealed = HandshakeFrameHeader.seal(java.nio.ByteBuffer.wrap(frame));
      WireException refused =
          assertThrows(WireException.class, () -> HandshakeFrame.decode(sealed));
      assertEquals(Reason.GARBAGE, refused.reason());
    }
  }

  @Test
  void shouldCarryEveryReasonThatIsSentAsItself() throws Exception {
    for (Reason reason : Reason.values()) {
      if (reason.isSent()) {
        assertEquals(
            reason, ((Refuse) HandshakeFrame.decode(new Refuse(reason, "").encode())).reason());
      }
    }
  }
}
