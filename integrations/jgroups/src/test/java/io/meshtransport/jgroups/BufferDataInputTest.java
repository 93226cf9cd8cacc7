// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BufferDataInputTest {
  @FunctionalInterface
  private interface Reading {
    Object of(DataInput input) throws IOException;
  }

  private static final List<Reading> FIELDS =
      List.of(
          DataInput::readBoolean,
          DataInput::readByte,
          DataInput::readUnsignedByte,
          DataInput::readShort,
          DataInput::readUnsignedShort,
          DataInput::readChar,
          DataInput::readInt,
          DataInput::readLong,
          input -> Float.floatToRawIntBits(input.readFloat()),
          input -> Double.doubleToRawLongBits(input.readDouble()),
          DataInput::readUTF,
          DataInput::readLine,
          input -> input.skipBytes(3),
          input -> input.skipBytes(-3),
          input -> ((InputStream) input).read(),
          input -> ((InputStream) input).skip(2),
          input -> ((InputStream) input).available(),
          input -> stuffed(input, 7),
          BufferDataInputTest::fully);

  private static Object stuffed(DataInput input, int count) throws IOException {
    byte[] into = new byte[9];
    int read = ((InputStream) input).read(into, 1, count);
    return read + Arrays.toString(into);
  }

  private static Object fully(DataInput input) throws IOException {
    byte[] into = new byte[5];
    input.readFully(into);
    return Arrays.toString(into);
  }

  private static Object outcome(Reading reading, DataInput input) {
    try {
      return String.valueOf(reading.of(input));
    } catch (IOException e) {
      return e.getClass();
    }
  }

  private static BufferDataInput over(byte[] bytes) {
    ByteBuffer received = ByteBuffer.allocateDirect(bytes.length + 20).position(16).put(bytes);
    return new BufferDataInput(received.flip().position(16));
  }

  @Test
  @SuppressWarnings("deprecation") // DataInputStream.readLine, the measure of ours.
  void shouldReadAsDataInputStreamDoesUntilTheDataEnds() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("SlotInputTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(60)];
      random.nextBytes(bytes);
      for (int index = 0; index < bytes.length; index++) {
        switch (random.nextInt(8)) {
          case 0 -> bytes[index] = '\n';
          case 1 -> bytes[index] = '\r';
          case 2 -> bytes[index] = 0;
          default -> {}
        }
      }
      BufferDataInput ours = over(bytes);
      DataInputStream theirs = new DataInputStream(new ByteArrayInputStream(bytes));
      Object expected;
      do {
        int field = random.nextInt(FIELDS.size());
        expected = outcome(FIELDS.get(field), theirs);
        assertEquals(
            expected,
            outcome(FIELDS.get(field), ours),
            () -> "-Dseed=" + seed + " field " + field + " of " + Arrays.toString(bytes));
        // After a failure the position is not specified.
      } while (expected instanceof String && ours.available() > 0);
    }
  }

  @Test
  void shouldReadNoByteBeyondTheLimit() throws IOException {
    BufferDataInput input = over(new byte[] {1, 2, 3});
    assertThrows(EOFException.class, input::readInt);
    assertThrows(EOFException.class, () -> input.readFully(new byte[4]));
    assertEquals(0x0102, input.readShort());
    assertEquals(1, input.skip(Long.MAX_VALUE));
    assertEquals(0, input.skip(Long.MIN_VALUE));
    assertEquals(-1, input.read());
    assertEquals(-1, input.read(new byte[1], 0, 1));
    assertEquals(0, input.read(new byte[1], 0, 0));
    assertThrows(EOFException.class, input::readByte);
    input.readFully(new byte[0]);
    assertNull(input.readLine());
  }

  @Test
  void shouldRefuseAPlaceOutsideTheArrayAndReadNothing() {
    BufferDataInput input = over(new byte[] {1, 2, 3});
    byte[] into = new byte[2];
    assertThrows(IndexOutOfBoundsException.class, () -> input.readFully(into, 1, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> input.readFully(into, 0, -1));
    assertThrows(IndexOutOfBoundsException.class, () -> input.readFully(into, 9, 9));
    assertThrows(IndexOutOfBoundsException.class, () -> input.read(into, -1, 1));
    assertEquals(3, input.available());
    assertArrayEquals(new byte[2], into);
  }

  @Test
  void shouldSayWhereTheMessageEnds() {
    BufferDataInput input = over(new byte[] {1, 2, 3});
    EOFException end = assertThrows(EOFException.class, input::readLong);
    assertEquals("the message ends 5 bytes short of the field at byte 16", end.getMessage());
  }
}
