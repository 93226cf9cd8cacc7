// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiveGroupTest {
  private final ReceiveGroup group = new ReceiveGroup();
  private final RegisteredMemory memory = new NoMemory();

  @Test
  void shouldBeginEmpty() {
    assertEquals(0, group.size());
  }

  @Test
  void shouldKeepWhatWasAddedInOrder() {
    RegisteredMemory other = new NoMemory();
    group.add(memory, 1, 2, 3).add(other, Long.MAX_VALUE, Long.MIN_VALUE, -1);

    assertEquals(2, group.size());
    assertSame(memory, group.memory(0));
    assertEquals(1, group.offsetBytes(0));
    assertEquals(2, group.lengthBytes(0));
    assertEquals(3, group.tag(0));
    assertSame(other, group.memory(1));
    assertEquals(Long.MAX_VALUE, group.offsetBytes(1));
    assertEquals(Long.MIN_VALUE, group.lengthBytes(1));
    assertEquals(-1, group.tag(1));
  }

  @Test
  void shouldRefuseTheNinthAndKeepTheEight() {
    fill();
    IllegalStateException refusal =
        assertThrows(IllegalStateException.class, () -> group.add(memory, 0, 0, 0));
    assertTrue(refusal.getMessage().contains("8"), refusal.getMessage());
    assertEquals(Transport.MAX_GROUP, group.size());
    assertEquals(7, group.tag(7));
  }

  @Test
  void shouldLetGoOfMemoryWhenCleared() {
    fill();
    assertSame(group, group.clear());
    assertEquals(0, group.size());
    for (int i = 0; i < Transport.MAX_GROUP; i++) {
      assertNull(group.memory(i));
    }
  }

  @Test
  void shouldBeFilledAgainAndAgain() {
    for (int round = 0; round < 3; round++) {
      fill();
      assertEquals(Transport.MAX_GROUP, group.size());
      group.clear();
    }
  }

  private void fill() {
    for (int i = 0; i < Transport.MAX_GROUP; i++) {
      group.add(memory, 0, 0, i);
    }
  }

  private static final class NoMemory implements RegisteredMemory {
    @Override
    public long lengthBytes() {
      return 0;
    }

    @Override
    public List<ByteBuffer> segments() {
      return List.of();
    }

    @Override
    public long address() {
      throw new IllegalStateException("no memory at all");
    }

    @Override
    public byte[] remoteKey() {
      throw new IllegalStateException("no memory at all");
    }

    @Override
    public void close() {}
  }
}
