// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import org.jgroups.util.ByteArray;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BundleOutputTest {
  private static final int BUFFERS = 2;
  private static final int BUFFER_BYTES = 200;
  private static final int BUNDLE_BYTES = BUFFER_BYTES - BundleHeader.HEADER_BYTES;

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

  private SendBufferPool pool;
  private BundleOutput output;

  @BeforeEach
  void makeOutput() throws TransportException {
    pool = new SendBufferPool(ScriptedTransport.registering(), BUFFERS, BUFFER_BYTES);
    output = new BundleOutput(16, () -> pool);
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
    int buffer = pool.bufferOf(array);
    ByteBuffer from =
        buffer == SendBufferPool.NONE
            ? ByteBuffer.wrap(array, 0, output.position())
            : pool.bundle(buffer, output.position());
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
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldLeaveAFrameInTheSlotAndTheSlotToItsOwner() {
    output.writeInt(7);
    int buffer = pool.bufferOf(output.buffer());
    assertEquals(BundleHeader.BUNDLE, BundleHeader.kind(pool.bytes(buffer)));
    assertEquals(4, BundleHeader.lengthBytes(pool.bytes(buffer)));
    pool.retain(buffer);
    output.release();
    assertEquals(BUFFERS - 1, pool.free());
    output.writeInt(8);
    assertEquals(7, pool.bundle(buffer, 4).getInt());
    assertEquals(0, pool.free());
    pool.release(buffer);
    output.release();
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldFillASlotToItsLastByteAndNoFurther() {
    output.write(new byte[BUNDLE_BYTES]);
    assertSame(pool.standIn(pool.bufferOf(output.buffer())), output.buffer());
    output.writeByte(1);
    assertEquals(SendBufferPool.NONE, pool.bufferOf(output.buffer()));
    assertEquals(BUNDLE_BYTES + 1, output.position());
    assertEquals(1, output.buffer()[BUNDLE_BYTES]);
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldWriteIntoAnArrayWhenNoSlotIsFreeAndIntoASlotAgainLater() {
    int first = pool.tryAcquire();
    int second = pool.tryAcquire();
    output.writeLong(1);
    pool.release(first);
    output.writeLong(2);
    assertEquals(2, ByteBuffer.wrap(output.buffer()).getLong(8));
    output.position(0);
    output.writeLong(3);
    assertEquals(3, pool.bundle(first, 8).getLong());
    output.release();
    pool.release(second);
  }

  @Test
  void shouldAcquireNoSlotBeforeMeshIsStartedAndWhileNothingIsWritten() {
    output.position(0);
    assertEquals(BUFFERS, pool.free());
    SendBufferPool started = pool;
    pool = null;
    output.writeLong(1);
    pool = started;
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
  void shouldKnowOnlyItsOwnStandIns() throws TransportException {
    SendBufferPool other =
        new SendBufferPool(ScriptedTransport.registering(), BUFFERS, BUFFER_BYTES);
    assertEquals(1, pool.bufferOf(pool.standIn(1)));
    assertNotSame(pool.standIn(1), other.standIn(1));
    assertEquals(SendBufferPool.NONE, pool.bufferOf(other.standIn(1)));
    assertEquals(SendBufferPool.NONE, pool.bufferOf(pool.standIn(1).clone()));
    assertEquals(SendBufferPool.NONE, pool.bufferOf(new byte[] {-1, 0, 0, 0}));
    assertEquals(SendBufferPool.NONE, pool.bufferOf(new byte[] {0, 0, 0, BUFFERS}));
    assertEquals(SendBufferPool.NONE, pool.bufferOf(new byte[0]));
  }
}
