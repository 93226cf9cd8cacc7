package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ControlMessageTest {
  private static final int AT = 3;

  @Test
  void shouldLayOutAnAnnouncementOfTwoRoomsByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    ControlMessage.putHeader(buffer, AT, ControlMessage.ROOMS, 63, 2);
    ControlMessage.putRoom(buffer, AT, 0, 0x0102030405060708L, 4096, 0xCAFEBABE, 7);
    ControlMessage.putRoom(buffer, AT, 1, -1, 0, 1, -2);

    assertEquals(56, ControlMessage.roomsBytes(2));
    assertEquals(
        "013f020000000000"
            + "01020304050607080000000000001000cafebabe00000007"
            + "ffffffffffffffff000000000000000000000001fffffffe",
        HexFormat.of().formatHex(buffer.array(), AT, AT + 56));
  }

  @Test
  void shouldLayOutATooLongByteForByte() {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    ControlMessage.putHeader(buffer, AT, ControlMessage.TOO_LONG, 5, 3);
    ControlMessage.putMessageLength(buffer, AT, 1L << 40);

    assertEquals(16, ControlMessage.MAX_TO_RECEIVER_BYTES);
    assertEquals(
        "02050300000000000000010000000000", HexFormat.of().formatHex(buffer.array(), AT, AT + 16));
  }

  @Test
  void shouldOverwriteReservedBytesOfAnOlderMessage() {
    ByteBuffer buffer = ByteBuffer.allocate(16).putLong(-1).putLong(-1);
    ControlMessage.putHeader(buffer, 0, ControlMessage.GOODBYE, 0, 0);

    assertEquals("0300000000000000", HexFormat.of().formatHex(buffer.array(), 0, 8));
  }

  @Test
  void shouldReadBackAFullGroup() {
    ByteBuffer buffer = ByteBuffer.allocate(ControlMessage.MAX_TO_SENDER_BYTES);
    ControlMessage.putHeader(buffer, 0, ControlMessage.ROOMS, 9, Transport.MAX_GROUP);
    for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
      ControlMessage.putRoom(
          buffer, 0, entry, 1000 + entry, 2000 + entry, 3000 + entry, 4000 + entry);
    }

    assertEquals(ControlMessage.ROOMS, ControlMessage.kind(buffer, 0));
    assertEquals(9, ControlMessage.slot(buffer, 0));
    assertEquals(Transport.MAX_GROUP, ControlMessage.count(buffer, 0));
    for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
      assertEquals(1000 + entry, ControlMessage.roomAddress(buffer, 0, entry));
      assertEquals(2000 + entry, ControlMessage.roomLengthBytes(buffer, 0, entry));
      assertEquals(3000 + entry, ControlMessage.roomKey(buffer, 0, entry));
      assertEquals(4000 + entry, ControlMessage.roomTag(buffer, 0, entry));
    }
  }
}
