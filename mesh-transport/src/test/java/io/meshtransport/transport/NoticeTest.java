// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.Transport;
import org.junit.jupiter.api.Test;

class NoticeTest {
  @Test
  void shouldReadBackEveryRoomWithEveryWidthOfParts() {
    for (int slot = 0; slot < Transport.MAX_REQUESTS; slot++) {
      for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
        for (int parts : new int[] {0, 1, 2, 1023, 1 << 22, Notice.MAX_FULL_PARTS}) {
          int notice = Notice.of(Notice.room(slot, entry), parts);

          assertEquals(slot, Notice.slotOf(Notice.room(notice)));
          assertEquals(entry, Notice.entryOf(Notice.room(notice)));
          assertEquals(parts, Notice.fullParts(notice));
        }
      }
    }
  }

  @Test
  void shouldTellWhatARailCarriedFromAMessage() {
    assertEquals(0x800001FF, Notice.placed(511));
    assertEquals(511, Notice.room(Notice.placed(511)));
    assertEquals(true, Notice.isPlaced(Notice.placed(0)));
    assertEquals(false, Notice.isPlaced(Notice.of(511, 0)));
  }

  @Test
  void shouldHaveRoomForTheLongestMessageInPartsOfAMegabyte() {
    assertEquals(Notice.MAX_FULL_PARTS, Notice.fullParts(Notice.of(511, Notice.MAX_FULL_PARTS)));
    assertEquals(true, Transport.MAX_MESSAGE_BYTES / (1 << 20) <= Notice.MAX_FULL_PARTS);
  }
}
