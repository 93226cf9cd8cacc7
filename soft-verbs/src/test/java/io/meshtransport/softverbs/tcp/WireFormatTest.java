// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.verbs.WireKey;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Pins the bytes of the soft wire. */
class WireFormatTest {
  private static final WireKey KEY = WireKey.of("a key of the test".getBytes(US_ASCII));
  private static final byte[] DIALLERS_NONCE = bytes("000102030405060708090a0b0c0d0e0f");

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  private static byte[] encoded(FrameHeader header) {
    ByteBuffer buffer = ByteBuffer.allocate(FrameHeader.LENGTH_BYTES);
    header.encode(buffer, 0);
    return buffer.array();
  }

  private static FrameHeader write() {
    FrameHeader header = new FrameHeader().set(FrameType.WRITE, 0x01020304);
    header.flags = FrameHeader.FLAG_IMMEDIATE | FrameHeader.FLAG_SOLICITED;
    header.messageBytes = 0x40010;
    header.offset = 0x40000;
    header.payloadBytes = 0x10;
    header.remoteKey = 0xAABBCCDD;
    header.remoteAddress = 0x1122334455667788L;
    header.immediate = 0xCAFEBABE;
    header.destination = 0x0000000900000007L;
    return header;
  }

  private static FrameHeader atomic() {
    FrameHeader header = new FrameHeader().set(FrameType.ATOMIC_REQUEST, 7);
    header.code = FrameHeader.CODE_COMPARE_AND_SWAP;
    header.remoteAddress = 0x1000;
    header.remoteKey = 5;
    header.compareOrAdd = 0x0102030405060708L;
    header.swap = -2;
    return header;
  }

  @Test
  void shouldEncodeAWrite() {
    assertArrayEquals(
        bytes(
            "02 03 00 00  01020304  00000010  aabbccdd  1122334455667788"
                + " 00040010  00040000  cafebabe  00000000"
                + "  0000000900000007"),
        encoded(write()));
  }

  @Test
  void shouldEncodeAnAtomic() {
    assertArrayEquals(
        bytes(
            "05 00 01 00  00000007  00000000  00000005  0000000000001000"
                + " 0102030405060708  fffffffffffffffe"
                + "  0000000000000000"),
        encoded(atomic()));
  }

  @Test
  void shouldReadBackWhatItWrote() {
    for (FrameHeader header : new FrameHeader[] {write(), atomic()}) {
      byte[] bytes = encoded(header);
      FrameHeader copy = new FrameHeader();
      assertTrue(copy.decode(ByteBuffer.wrap(bytes), 0));
      assertArrayEquals(bytes, encoded(copy));
    }
  }

  @Test
  void shouldRefuseLengthsThatCannotBe() {
    int[][] wrong = {
      {FrameHeader.PAYLOAD, -1},
      {FrameHeader.PAYLOAD, 0x11},
      {FrameHeader.PAYLOAD, FrameHeader.MAX_PAYLOAD_BYTES + 1},
      {FrameHeader.MESSAGE, -1},
      {FrameHeader.MESSAGE, SoftLimits.MAX_MESSAGE_BYTES + 1},
      {FrameHeader.OFFSET, 0x40011},
      {FrameHeader.OFFSET, -1},
    };
    for (int[] change : wrong) {
      ByteBuffer bytes = ByteBuffer.wrap(encoded(write())).putInt(change[0], change[1]);
      assertFalse(new FrameHeader().decode(bytes, 0), change[1] + " at " + change[0]);
    }
  }

  @Test
  void shouldRefuseEveryUnknownType() {
    for (int type = 0; type < 256; type++) {
      ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.LENGTH_BYTES).put(0, (byte) type);
      assertEquals(type >= 1 && type <= 12, new FrameHeader().decode(bytes, 0), "type " + type);
    }
  }

  @Test
  void shouldEncodeAPreamble() throws Exception {
    Gid here = Gid.of(InetAddress.getByName("10.0.1.1"));
    Gid there = Gid.of(InetAddress.getByName("10.0.1.2"));
    StreamAddress ends = new StreamAddress(here, 0x8001, 0x123456, there, 0x0102, 0xFFFFFF);
    WireProof proof = new WireProof(KEY, ends, true);
    ByteBuffer bytes = Preamble.encode(DevicePair.of(ends), proof.id(), DIALLERS_NONCE);
    assertArrayEquals(
        bytes(
            "4d535750 0005 0000 8001 0102 00000000"
                + " 00000000000000000000ffff0a000101 00000000000000000000ffff0a000102"
                + " 57eb8cd72b3b9a4393d78b8cd10a6752"
                + " 000102030405060708090a0b0c0d0e0f"),
        bytes.array());
    assertTrue(Preamble.isValid(bytes));
    assertEquals(DevicePair.of(ends.reversed()), Preamble.ends(bytes));
    assertEquals(proof.id(), Preamble.wireId(bytes));
    assertEquals(proof.id(), new WireProof(KEY, ends.reversed(), false).id());
    assertArrayEquals(DIALLERS_NONCE, Preamble.nonce(bytes));
  }

  @Test
  void shouldProveWithTheKeyTheEndsAndBothNonces() throws Exception {
    Gid here = Gid.of(InetAddress.getByName("10.0.1.1"));
    Gid there = Gid.of(InetAddress.getByName("10.0.1.2"));
    StreamAddress ends = new StreamAddress(here, 0x8001, 0x123456, there, 0x0102, 0xFFFFFF);
    WireProof proof = new WireProof(KEY, ends, true);
    byte[] session = Preamble.session(DIALLERS_NONCE, new byte[WireProof.NONCE_BYTES]);
    assertArrayEquals(bytes("524c612349a9088fe3ace0772b8d8c8b"), proof.ofAcceptor(session));
    assertArrayEquals(bytes("2b03d91b4ce28efd488b8ff973fef4f7"), proof.ofDialler(session));
    FrameHeader open = new FrameHeader().set(FrameType.OPEN, 0x123456);
    open.remoteKey = 0xFFFFFF;
    open.remoteAddress = 0x0000000900000007L;
    open.destination = 0x0000000100000002L;
    proof.sign(open, session, true);
    assertArrayEquals(
        bytes(
            "0b 00 00 00  00123456  00000000  00ffffff  0000000900000007"
                + " b48cf84ec78bf1e41f114625ed50ad61  0000000100000002"),
        encoded(open));
    assertTrue(proof.isProvedBy(open, session, true));
    assertFalse(proof.isProvedBy(open, session, false));
    byte[] another = session.clone();
    another[31]++;
    assertFalse(proof.isProvedBy(open, another, true));
    open.destination++;
    assertFalse(proof.isProvedBy(open, session, true));
  }
}
