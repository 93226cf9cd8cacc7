// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Transport;
import org.junit.jupiter.api.Test;

class ImmediateDataTest {
  @Test
  void shouldReadBackEveryRoomWithEveryWidthOfParts() {
    for (int slot = 0; slot < ConnectOptions.MAX_REQUESTS; slot++) {
      for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
        for (int parts : new int[] {0, 1, 2, 1023, 1 << 16, ImmediateData.MAX_FULL_PARTS}) {
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
    assertEquals(0x80007FFF, ImmediateData.placed(32_767));
    assertEquals(32_767, ImmediateData.receive(ImmediateData.placed(32_767)));
    assertEquals(true, ImmediateData.isPlaced(ImmediateData.placed(0)));
    assertEquals(false, ImmediateData.isPlaced(ImmediateData.of(32_767, 0)));
  }

  @Test
  void shouldHaveRoomForTheLongestMessageInPartsOfEightMegabytes() {
    assertEquals(
        ImmediateData.MAX_FULL_PARTS,
        ImmediateData.fullParts(ImmediateData.of(32_767, ImmediateData.MAX_FULL_PARTS)));
    assertEquals(Transport.MAX_MESSAGE_BYTES / (8 << 20) - 1, ImmediateData.MAX_FULL_PARTS);
  }
}
