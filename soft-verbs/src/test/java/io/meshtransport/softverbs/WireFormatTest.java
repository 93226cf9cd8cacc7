package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Pins the bytes of the soft wire. */
class WireFormatTest {
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
    WireEnds ends = new WireEnds(here, 0x8001, 0x123456, there, 0x0102, 0xFFFFFF);
    ByteBuffer bytes = Preamble.encode(ends);
    assertArrayEquals(
        bytes(
            "4d535750 0004 0000 00123456 00ffffff 8001 0102"
                + " 00000000000000000000ffff0a000101 00000000000000000000ffff0a000102"
                + " 000000000000000000000000"),
        bytes.array());
    assertTrue(Preamble.isValid(bytes));
    assertEquals(ends.reversed(), Preamble.decode(bytes));
  }

  @Test
  void shouldWaitAsTable46Says() {
    assertEquals(655_360_000, RnrTimer.waitNs(0));
    assertEquals(10_000, RnrTimer.waitNs(1));
    assertEquals(640_000, RnrTimer.waitNs(12));
    assertEquals(491_520_000, RnrTimer.waitNs(31));
  }
}
