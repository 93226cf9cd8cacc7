// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.rail.RailId;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ControlMessageTest {
  private static final int AT = 3;

  @Test
  void shouldLayOutAnAnnouncementOfTwoRoomsByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    ControlMessage.putAdvertise(buffer, AT, 4095, 2, 1);
    ControlMessage.putReceive(buffer, AT, 0, 1, 4096, 7);
    ControlMessage.putAddress(buffer, AT, 0, 0, 1, 0x0102030405060708L, 0xCAFEBABE);
    ControlMessage.putReceive(buffer, AT, 1, 1, 0, -2);
    ControlMessage.putAddress(buffer, AT, 1, 0, 1, -1, 1);

    assertEquals(56, ControlMessage.advertiseBytes(2, 1));
    assertEquals(
        "01020fff00000000"
            + "01020304050607080000000000001000cafebabe00000007"
            + "ffffffffffffffff000000000000000000000001fffffffe",
        HexFormat.of().formatHex(buffer.array(), AT, AT + 56));
  }

  @Test
  void shouldLayOutAnAnnouncementAtSeveralNicsByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(128);
    ControlMessage.putAdvertise(buffer, AT, 1, 2, 2);
    for (int entry = 0; entry < 2; entry++) {
      ControlMessage.putReceive(buffer, AT, entry, 2, 256, entry);
      ControlMessage.putAddress(buffer, AT, entry, 0, 2, 0x1000, 0x11);
      ControlMessage.putAddress(buffer, AT, entry, 1, 2, 0x2000, 0x22);
    }

    assertEquals(80, ControlMessage.advertiseBytes(2, 2));
    assertEquals(2, ControlMessage.nics(buffer, AT));
    assertEquals(
        "0102000101000000"
            + "000000000000100000000000000001000000001100000000"
            + "000000000000200000000022"
            + "000000000000100000000000000001000000001100000001"
            + "000000000000200000000022",
        HexFormat.of().formatHex(buffer.array(), AT, AT + 80));
  }

  @Test
  void shouldLayOutATooLongByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    ControlMessage.putHeader(buffer, AT, ControlMessage.TOO_LONG, 5, 3);
    ControlMessage.putNumber(buffer, AT, 1L << 40);

    assertEquals(16, ControlMessage.NUMBER_BYTES);
    assertEquals(
        "02030005000000000000010000000000", HexFormat.of().formatHex(buffer.array(), AT, AT + 16));
  }

  @Test
  void shouldLayOutAWrittenByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    ControlMessage.putHeader(buffer, AT, ControlMessage.WRITTEN, 5, 3);
    ControlMessage.putNumber(buffer, AT, 1L << 40);

    assertEquals(
        "08030005000000000000010000000000", HexFormat.of().formatHex(buffer.array(), AT, AT + 16));
  }

  @Test
  void shouldLayOutReceivesByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    ControlMessage.putHeader(buffer, AT, ControlMessage.RECEIVES, 0, 0);
    ControlMessage.putNumber(buffer, AT, 15);

    assertEquals(
        "0700000000000000000000000000000f", HexFormat.of().formatHex(buffer.array(), AT, AT + 16));
  }

  @Test
  void shouldLayOutANoticeByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    ControlMessage.putHeader(buffer, AT, ControlMessage.NOTICE, 5, 3);
    ControlMessage.putNumber(buffer, AT, 1L << 20);
    ControlMessage.putRails(buffer, AT, 0x8000000000000002L);

    assertEquals(24, ControlMessage.NOTICE_BYTES);
    assertEquals(
        "0403000500000000" + "0000000000100000" + "8000000000000002",
        HexFormat.of().formatHex(buffer.array(), AT, AT + 24));
    assertEquals(0x8000000000000002L, ControlMessage.rails(buffer, AT));
  }

  @Test
  void shouldOverwriteReservedBytesOfAnOlderMessage() {
    ByteBuffer buffer = ByteBuffer.allocate(16).putLong(-1).putLong(-1);
    ControlMessage.putHeader(buffer, 0, ControlMessage.GOODBYE, 0, 0);

    assertEquals("0300000000000000", HexFormat.of().formatHex(buffer.array(), 0, 8));
  }

  @Test
  void shouldLayOutAGoodbyeByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(32).putLong(-1).putLong(-1).putLong(-1);

    assertEquals(8, Goodbye.CLOSED.write(buffer, AT));
    assertEquals("0300000000000000", HexFormat.of().formatHex(buffer.array(), AT, AT + 8));

    Goodbye late = new Goodbye(Goodbye.Why.RECEIVE_TIMED_OUT, -2, 5_000_000_000L);
    assertEquals(16, late.write(buffer, AT));
    assertEquals(
        "03000001fffffffe000000012a05f200", HexFormat.of().formatHex(buffer.array(), AT, AT + 16));
  }

  @Test
  void shouldReadBackEveryGoodbyeAndTakeWhatItDoesNotKnowForOne() {
    ByteBuffer buffer = ByteBuffer.allocate(16);
    for (Goodbye.Why why : Goodbye.Why.values()) {
      Goodbye said = new Goodbye(why, why == Goodbye.Why.CLOSED ? 0 : 9, why.ordinal());
      assertEquals(said, Goodbye.read(buffer, 0, said.write(buffer, 0)));
    }
    for (int code = 4; code <= 255; code++) {
      ControlMessage.putHeader(buffer, 0, ControlMessage.GOODBYE, code, 0);
      ControlMessage.putNumber(buffer, 0, -1);
      Goodbye read = Goodbye.read(buffer, 0, 16);
      assertEquals(Goodbye.Why.UNKNOWN, read.why());
      assertFalse(read.text().isBlank());
      assertEquals(Goodbye.CLOSED, Goodbye.read(buffer, 0, 15), "cut");
    }
  }

  @Test
  void shouldLayOutANoticeOfAPut() {
    ByteBuffer buffer = ByteBuffer.allocate(ControlMessage.NUMBER_BYTES);
    ControlMessage.putHeader(buffer, 0, ControlMessage.PUT_NOTICE, 0, 0);
    ControlMessage.putNumber(buffer, 0, 0x0102030405060708L);
    ControlMessage.putNotice(buffer, 0, 0xF1F2F3F4);
    assertEquals("0b000000f1f2f3f40102030405060708", HexFormat.of().formatHex(buffer.array()));
    assertEquals(0xF1F2F3F4, ControlMessage.notice(buffer, 0));
    assertEquals(0x0102030405060708L, ControlMessage.number(buffer, 0));
  }

  @Test
  void shouldReadBackAFullGroup() {
    int nics = RailId.MAX_NICS;
    ByteBuffer buffer =
        ByteBuffer.allocate(ControlMessage.advertiseBytes(Transport.MAX_GROUP, nics));
    ControlMessage.putAdvertise(
        buffer, 0, ConnectOptions.MAX_REQUESTS - 1, Transport.MAX_GROUP, nics);
    for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
      ControlMessage.putReceive(buffer, 0, entry, nics, 2000 + entry, 4000 + entry);
      for (int nic = 0; nic < nics; nic++) {
        ControlMessage.putAddress(
            buffer, 0, entry, nic, nics, 100_000 * nic + entry, 200_000 * nic + entry);
      }
    }

    assertEquals(ControlMessage.ADVERTISE, ControlMessage.kind(buffer, 0));
    assertEquals(ConnectOptions.MAX_REQUESTS - 1, ControlMessage.slot(buffer, 0));
    assertEquals(Transport.MAX_GROUP, ControlMessage.count(buffer, 0));
    for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
      assertEquals(2000 + entry, ControlMessage.receiveLengthBytes(buffer, 0, entry, nics));
      assertEquals(4000 + entry, ControlMessage.receiveTag(buffer, 0, entry, nics));
      for (int nic = 0; nic < nics; nic++) {
        assertEquals(
            100_000 * nic + entry, ControlMessage.receiveAddress(buffer, 0, entry, nic, nics));
        assertEquals(200_000 * nic + entry, ControlMessage.receiveKey(buffer, 0, entry, nic, nics));
      }
    }
  }
}
