// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.session.SendSlot;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiConsumer;
import org.jgroups.util.ByteArray;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Also tests {@link SendSlots}. */
class BundleOutputTest {
  private static final int SLOTS = 2;
  private static final int BUNDLE_BYTES = 256;

  private static final List<BiConsumer<ByteArrayDataOutputStream, Random>> WRITES =
      List.of(
          (out, random) -> out.writeBoolean(random.nextBoolean()),
          (out, random) -> out.writeByte(random.nextInt()),
          (out, random) -> out.write(random.nextInt()),
          (out, random) -> out.writeShort(random.nextInt()),
          (out, random) -> out.writeChar(random.nextInt()),
          (out, random) -> out.writeInt(random.nextInt()),
          (out, random) -> out.writeLong(random.nextLong()),
          (out, random) -> out.writeFloat(random.nextFloat()),
          (out, random) -> out.writeDouble(random.nextDouble()),
          (out, random) -> out.writeUTF(text(random)),
          (out, random) -> out.writeBytes(text(random)),
          (out, random) -> out.writeChars(text(random)),
          (out, random) -> out.write(text(random).getBytes()),
          (out, random) -> out.write(new byte[] {1, 2, 3, 4, 5}, 1, random.nextInt(5)),
          (out, random) -> out.ensureCapacity(random.nextInt(20)),
          BundleOutputTest::correct);

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private Session session;
  private SendSlots slots;
  private BundleOutput output;

  @BeforeEach
  void makeOutput() throws TransportException {
    session = session();
    slots = new SendSlots(session, SLOTS);
    output = new BundleOutput(16, () -> slots);
  }

  private Session session() throws TransportException {
    SessionOptions options =
        SessionOptions.DEFAULT.lengths(BUNDLE_BYTES + 16, 1 << 16).slots(SLOTS, 1);
    return Session.open(transport, name -> Optional.empty(), (from, message) -> {}, options);
  }

  @AfterEach
  void close() {
    session.close();
    transport.close();
  }

  private static String text(Random random) {
    return "\u00fc".repeat(random.nextInt(3)) + "x".repeat(random.nextInt(12));
  }

  /** As JGroups writes a fragment's length when it knows it. */
  private static void correct(ByteArrayDataOutputStream out, Random random) {
    int end = out.position();
    if (end > Integer.BYTES) {
      out.position(1 + random.nextInt(end - Integer.BYTES));
      out.writeInt(random.nextInt());
      out.position(end);
    }
  }

  private static byte[] copy(ByteArray array) {
    return Arrays.copyOfRange(
        array.getArray(), array.getOffset(), array.getOffset() + array.getLength());
  }

  private byte[] written() {
    byte[] array = output.buffer();
    SendSlot slot = slots.slotOf(array);
    ByteBuffer from =
        slot == null
            ? ByteBuffer.wrap(array, 0, output.position())
            : slot.bytes().slice(0, output.position());
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    return bytes;
  }

  @Test
  void shouldWriteAsJGroupsOwnDoesInASlotAndBeyondIt() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("BundleOutputTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 10_000; round++) {
      ByteArrayDataOutputStream theirs = new ByteArrayDataOutputStream(16);
      output.position(0);
      int writes = random.nextInt(60);
      for (int i = 0; i < writes; i++) {
        BiConsumer<ByteArrayDataOutputStream, Random> write =
            WRITES.get(random.nextInt(WRITES.size()));
        long same = random.nextLong();
        write.accept(theirs, new Random(same));
        write.accept(output, new Random(same));
      }
      byte[] expected = copy(theirs.getBuffer());
      assertEquals(expected.length, output.position(), () -> "-Dseed=" + seed);
      assertArrayEquals(expected, written(), () -> "-Dseed=" + seed);
      assertArrayEquals(expected, copy(output.getBuffer()), () -> "-Dseed=" + seed);
      ByteBuffer bytes = output.byteBuffer();
      assertEquals(ByteBuffer.wrap(expected), bytes, () -> "-Dseed=" + seed);
    }
    output.release();
    assertEquals(SLOTS, session.freeSlots());
  }

  @Test
  void shouldGiveTheSlotBackWhenItIsReleased() {
    output.writeInt(7);
    SendSlot slot = slots.slotOf(output.buffer());
    assertEquals(7, slot.bytes().getInt(0));
    assertEquals(SLOTS - 1, session.freeSlots());
    output.release();
    assertEquals(SLOTS, session.freeSlots());
    output.writeInt(8);
    assertEquals(SLOTS - 1, session.freeSlots());
    output.release();
  }

  @Test
  void shouldFillASlotToItsLastByteAndNoFurther() {
    output.write(new byte[BUNDLE_BYTES]);
    assertSame(slots.standIn(slots.slotOf(output.buffer())), output.buffer());
    output.writeByte(1);
    assertNull(slots.slotOf(output.buffer()));
    assertEquals(BUNDLE_BYTES + 1, output.position());
    assertEquals(1, output.buffer()[BUNDLE_BYTES]);
    assertEquals(SLOTS, session.freeSlots());
  }

  @Test
  void shouldWriteIntoAnArrayWhenNoSlotIsFreeAndIntoASlotAgainLater() {
    SendSlot first = slots.tryClaim();
    SendSlot second = slots.tryClaim();
    output.writeLong(1);
    first.close();
    output.writeLong(2);
    assertEquals(2, ByteBuffer.wrap(output.buffer()).getLong(8));
    output.position(0);
    output.writeLong(3);
    assertEquals(3, first.bytes().getLong(0));
    output.release();
    second.close();
  }

  @Test
  void shouldClaimNoSlotBeforeMeshIsStartedAndWhileNothingIsWritten() {
    output.position(0);
    assertEquals(SLOTS, session.freeSlots());
    SendSlots started = slots;
    slots = null;
    output.writeLong(1);
    slots = started;
    assertEquals(1, ByteBuffer.wrap(output.buffer()).getLong());
  }

  @Test
  void shouldRefusePlacesOutside() {
    output.writeInt(1);
    assertThrows(IndexOutOfBoundsException.class, () -> output.position(-1));
    assertThrows(IndexOutOfBoundsException.class, () -> output.position(BUNDLE_BYTES + 1));
    assertThrows(IndexOutOfBoundsException.class, () -> output.write(new byte[3], 2, 2));
    assertEquals(4, output.position());
  }

  @Test
  void shouldKnowOnlyItsOwnStandIns() {
    SendSlots other = new SendSlots(session, SLOTS);
    try (SendSlot slot = slots.tryClaim()) {
      byte[] standIn = slots.standIn(slot);
      assertSame(slot, slots.slotOf(standIn));
      assertNotSame(standIn, other.standIn(slot));
      assertNull(slots.slotOf(other.standIn(slot)));
      assertNull(slots.slotOf(standIn.clone()));
      assertNull(slots.slotOf(new byte[] {-1, 0, 0, 0}));
      assertNull(slots.slotOf(new byte[] {0, 0, 0, SLOTS}));
      assertNull(slots.slotOf(new byte[0]));
    }
  }
}
