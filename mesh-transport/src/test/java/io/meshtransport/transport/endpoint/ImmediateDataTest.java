// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.Transport;
import org.junit.jupiter.api.Test;

class ImmediateDataTest {
  @Test
  void shouldReadBackEveryRoomWithEveryWidthOfParts() {
    for (int slot = 0; slot < Transport.MAX_REQUESTS; slot++) {
      for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
        for (int parts : new int[] {0, 1, 2, 1023, 1 << 22, ImmediateData.MAX_FULL_PARTS}) {
          int notice = ImmediateData.of(ImmediateData.receive(slot, entry), parts);

          assertEquals(slot, ImmediateData.slotOf(ImmediateData.receive(notice)));
          assertEquals(entry, ImmediateData.entryOf(ImmediateData.receive(notice)));
          assertEquals(parts, ImmediateData.fullParts(notice));
        }
      }
    }
  }

  @Test
  void shouldTellWhatARailCarriedFromAMessage() {
    assertEquals(0x800001FF, ImmediateData.placed(511));
    assertEquals(511, ImmediateData.receive(ImmediateData.placed(511)));
    assertEquals(true, ImmediateData.isPlaced(ImmediateData.placed(0)));
    assertEquals(false, ImmediateData.isPlaced(ImmediateData.of(511, 0)));
  }

  @Test
  void shouldHaveRoomForTheLongestMessageInPartsOfAMegabyte() {
    assertEquals(
        ImmediateData.MAX_FULL_PARTS,
        ImmediateData.fullParts(ImmediateData.of(511, ImmediateData.MAX_FULL_PARTS)));
    assertEquals(true, Transport.MAX_MESSAGE_BYTES / (1 << 20) <= ImmediateData.MAX_FULL_PARTS);
  }
}
