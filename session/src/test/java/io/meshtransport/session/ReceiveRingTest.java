// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.MultiReceive;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReceiveRingTest {
  private static final int SLOT_BYTES = 256;

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private final List<MultiReceive> posted = new ArrayList<>();
  private final List<Long> userData = new ArrayList<>();

  /** Notes what is posted. */
  private final Connection connection =
      (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                posted.add((MultiReceive) arguments[0]);
                userData.add((Long) arguments[2]);
                return 1L;
              });

  @AfterEach
  void close() {
    transport.close();
  }

  private ReceiveRing ring(int slots, int slotBytes) throws Exception {
    ReceiveRing ring = new ReceiveRing(connection, transport, slots, slotBytes);
    for (int i = 0; i < ring.requests(); i++) {
      ring.post(i, 100 + i);
    }
    return ring;
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "3, 3", "4, 4", "16, 4", "30, 4", "63, 4"})
  void shouldShareItsMemoryAmongAFewReceives(int slots, int receives) throws Exception {
    ReceiveRing ring = ring(slots, SLOT_BYTES);
    assertEquals(receives, ring.requests());
    long endBytes = 0;
    int messages = 0;
    for (MultiReceive each : posted) {
      assertEquals(endBytes, each.offsetBytes());
      assertEquals(SLOT_BYTES, each.longestBytes());
      assertEquals(Frame.TAG, each.tag());
      assertEquals(
          each.lengthBytes() == SLOT_BYTES ? 1 : each.lengthBytes() / (SLOT_BYTES / 8),
          each.messages());
      endBytes += each.lengthBytes();
      messages += each.messages();
    }
    assertEquals((long) slots * SLOT_BYTES, endBytes);
    assertEquals(List.of(100L, 101L, 102L, 103L).subList(0, receives), userData);
    // A connection of 64 requests has so many receives.
    assertTrue(messages <= 512, messages + " messages");
    ring.release();
  }

  @Test
  void shouldHaveSpaceForSoManyOfTheLongestFramesWhateverTheirLength() throws Exception {
    ReceiveRing ring = ring(16, 1001);
    for (MultiReceive each : posted) {
      long beginBytes = 0;
      int frames = 0;
      while (each.lengthBytes() - beginBytes >= each.longestBytes()) {
        beginBytes = MultiReceive.next(beginBytes, 1001);
        frames++;
      }
      assertEquals(4, frames);
      assertEquals(1001, each.longestBytes());
    }
    ring.release();
  }

  @Test
  void shouldShowEachFrameAloneWhateverThePreviousReaderDid() throws Exception {
    ReceiveRing ring = ring(4, SLOT_BYTES);
    ByteBuffer memory = posted.get(0).memory().segments().get(0);
    memory.putInt(512, 0x01020304).putInt(520, 0x05060708);
    ByteBuffer first = ring.frame(512, 4);
    assertEquals(0x01020304, first.getInt());
    first.clear().order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer second = ring.frame(520, 4);
    assertEquals(4, second.remaining());
    assertEquals(0x05060708, second.getInt());
    ring.release();
  }
}
