// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests also {@link SlotFifo}. */
class AdvertisedReceivesTest {
  private final AdvertisedReceives receives = new AdvertisedReceives(1, Transport.MAX_REQUESTS);

  @Test
  void shouldFindTheOldestRoomWithATag() {
    assertEquals("", announce(5, 1, 2));
    assertEquals("", announce(3, 2, 2));

    assertEquals(ImmediateData.receive(5, 1), receives.find(2));
    receives.use(ImmediateData.receive(5, 1), 0);
    assertEquals(ImmediateData.receive(3, 0), receives.find(2));
    receives.use(ImmediateData.receive(3, 0), 0);
    assertEquals(ImmediateData.receive(3, 1), receives.find(2));
    assertEquals(ImmediateData.receive(5, 0), receives.find(1));
    assertEquals(AdvertisedReceives.NONE, receives.find(3));
  }

  @Test
  void shouldTakeASlotAgainOnlyWhenItsRoomsAreTaken() {
    assertEquals("", announce(7, 1));
    assertTrue(announce(7, 1).contains("slot 7"));
    receives.use(ImmediateData.receive(7, 0), 0);
    assertEquals("", announce(7, 1));
  }

  @Test
  void shouldRefuseWhatNoReceiverSends() {
    ByteBuffer buffer = ByteBuffer.allocate(512);
    ControlMessage.putHeader(buffer, 0, ControlMessage.ADVERTISE, Transport.MAX_REQUESTS, 1);
    assertTrue(receives.add(buffer, 0, ControlMessage.advertiseBytes(1, 1)).contains("slot 64"));
    ControlMessage.putHeader(buffer, 0, ControlMessage.ADVERTISE, 1, 0);
    assertTrue(receives.add(buffer, 0, ControlMessage.advertiseBytes(0, 1)).contains("0 entries"));
    ControlMessage.putHeader(buffer, 0, ControlMessage.ADVERTISE, 1, Transport.MAX_GROUP + 1);
    assertTrue(receives.add(buffer, 0, ControlMessage.advertiseBytes(9, 1)).contains("9 entries"));
    ControlMessage.putHeader(buffer, 0, ControlMessage.ADVERTISE, 1, 2);
    assertTrue(receives.add(buffer, 0, ControlMessage.advertiseBytes(1, 1)).contains("32 bytes"));
    assertEquals(AdvertisedReceives.NONE, receives.find(0));
  }

  @Test
  void shouldAgreeWithAListOverRandomAnnouncementsAndMessages() {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    Random random = new Random(seed);
    List<int[]> model = new ArrayList<>();
    boolean[] busy = new boolean[Transport.MAX_REQUESTS];
    for (int step = 0; step < 20_000; step++) {
      int slot = random.nextInt(Transport.MAX_REQUESTS);
      if (!busy[slot] && random.nextBoolean()) {
        int[] tags = random.ints(1 + random.nextInt(8), 0, 5).toArray();
        assertEquals("", announce(slot, tags), "seed " + seed);
        busy[slot] = true;
        for (int entry = 0; entry < tags.length; entry++) {
          model.add(new int[] {ImmediateData.receive(slot, entry), tags[entry]});
        }
        continue;
      }
      int tag = random.nextInt(6);
      int expected =
          model.stream()
              .filter(room -> room[1] == tag)
              .mapToInt(room -> room[0])
              .findFirst()
              .orElse(AdvertisedReceives.NONE);
      assertEquals(expected, receives.find(tag), "seed " + seed + " step " + step);
      if (expected != AdvertisedReceives.NONE) {
        receives.use(expected, 0);
        model.removeIf(room -> room[0] == expected);
        int owner = ImmediateData.slotOf(expected);
        busy[owner] = model.stream().anyMatch(room -> ImmediateData.slotOf(room[0]) == owner);
      }
    }
  }

  private String announce(int slot, int... tags) {
    ByteBuffer buffer = ByteBuffer.allocate(ControlMessage.advertiseBytes(tags.length, 1));
    ControlMessage.putHeader(buffer, 0, ControlMessage.ADVERTISE, slot, tags.length);
    for (int entry = 0; entry < tags.length; entry++) {
      ControlMessage.putReceive(buffer, 0, entry, 1, 0, tags[entry]);
    }
    return receives.add(buffer, 0, buffer.capacity());
  }
}
