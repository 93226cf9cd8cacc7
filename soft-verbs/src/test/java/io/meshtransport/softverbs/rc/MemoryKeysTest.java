// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsDevice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Keys and addresses reveal nothing to a peer about memory that it has no key of.
 *
 * <p>Also tests {@link SoftProtectionDomain}.
 */
class MemoryKeysTest {
  private static final int MANY = 2000;

  @Test
  void shouldFindEveryRegionThroughGrowthAndRemoval() {
    Random random = new Random(5);
    KeyTable table = new KeyTable(random);
    Map<Integer, SoftMemoryRegion> kept = new HashMap<>();
    List<Integer> gone = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      SoftMemoryRegion region = new SoftMemoryRegion(null, i, List.of(), 0);
      kept.put(table.add(region), region);
      if (random.nextInt(3) == 0) {
        int key = kept.keySet().iterator().next();
        table.remove(key);
        kept.remove(key);
        gone.add(key);
      }
    }
    assertEquals(kept.size(), table.used());
    kept.forEach((key, region) -> assertEquals(region, table.find(key)));
    gone.removeAll(kept.keySet());
    gone.forEach(key -> assertNull(table.find(key)));
    assertNull(table.find(0));
  }

  @Test
  void shouldGiveKeysAndAddressesThatCannotBeGuessed() throws Exception {
    try (VerbsDevice device = new SoftProvider().open("lo-127.77.63.1");
        ProtectionDomain domain = device.allocateProtectionDomain()) {
      Set<Integer> highBytes = new HashSet<>();
      Set<Long> addresses = new HashSet<>();
      for (int i = 0; i < 16; i++) {
        try (MemoryRegion region =
            domain.register(
                ByteBuffer.allocateDirect(8), Access.LOCAL_WRITE | Access.REMOTE_WRITE)) {
          assertNotEquals(region.localKey(), region.remoteKey());
          highBytes.add(region.remoteKey() >>> 24);
          addresses.add(region.address() >>> 32);
          assertEquals(0, region.address() % 4096);
        }
      }
      // By chance once in 10^36.
      assertTrue(highBytes.size() > 1, "keys that count: " + highBytes);
      assertTrue(addresses.size() > 1, "addresses that count: " + addresses);
    }
  }
}
