// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectMemoryTest {
  private static final int PAGE = 4096;

  @Test
  void shouldAlignWhatIsOneBuffer() {
    for (int length : new int[] {1, PAGE - 1, PAGE, 1 << 20}) {
      List<ByteBuffer> memory = DirectMemory.allocate(length, PAGE);
      assertEquals(1, memory.size());
      assertEquals(length, memory.get(0).capacity());
      assertEquals(0, DirectMemory.addressOf(memory.get(0)) % PAGE);
    }
  }

  @Test
  void shouldReportTheAddressesOfSlices() {
    ByteBuffer whole = ByteBuffer.allocateDirect(100).position(50);
    long address = DirectMemory.addressOf(whole);
    assertEquals(address + 10, DirectMemory.addressOf(whole.slice(10, 5)));
    assertEquals(address + 50, DirectMemory.addressOf(whole.slice()));
    assertEquals(address, DirectMemory.addressOf(whole.duplicate()));
  }

  @Test
  void shouldMakeNeighboursOfWhatIsMore() {
    long length = 2L * DirectMemory.SEGMENT_BYTES + 100;
    List<ByteBuffer> memory = DirectMemory.allocate(length, PAGE);
    assertEquals(3, memory.size());
    assertEquals(100, memory.get(2).capacity());
    long first = DirectMemory.addressOf(memory.get(0));
    assertEquals(0, first % PAGE);
    for (int i = 0; i < memory.size(); i++) {
      assertEquals(
          first + (long) i * DirectMemory.SEGMENT_BYTES, DirectMemory.addressOf(memory.get(i)));
      int last = memory.get(i).capacity() - 1;
      memory.get(i).put(0, (byte) i).put(last, (byte) ~i);
      assertEquals(i, memory.get(i).get(0));
      assertEquals((byte) ~i, memory.get(i).get(last));
    }
  }

  @Test
  void shouldMakeBuffersOfWhatIsAtAnAddress() {
    ByteBuffer whole = ByteBuffer.allocateDirect(100);
    List<ByteBuffer> part = DirectMemory.at(DirectMemory.addressOf(whole) + 10, 80);
    assertEquals(1, part.size());
    assertEquals(80, part.get(0).capacity());
    whole.putInt(10, 0x01020304);
    assertEquals(0x01020304, part.get(0).getInt(0));
    assertEquals(DirectMemory.addressOf(whole) + 10, DirectMemory.addressOf(part.get(0)));
  }

  @Test
  void shouldMakeSeveralBuffersOfWhatIsLongerThanOne() {
    long length = DirectMemory.SEGMENT_BYTES + 10L;
    List<ByteBuffer> memory = DirectMemory.allocate(length, PAGE);
    long address = DirectMemory.addressOf(memory.get(0));
    List<ByteBuffer> again = DirectMemory.at(address + 1, length - 1);
    assertEquals(2, again.size());
    assertEquals(DirectMemory.SEGMENT_BYTES, again.get(0).capacity());
    assertEquals(9, again.get(1).capacity());
    memory.get(1).put(9, (byte) 7);
    assertEquals(7, again.get(1).get(8));
  }
}
