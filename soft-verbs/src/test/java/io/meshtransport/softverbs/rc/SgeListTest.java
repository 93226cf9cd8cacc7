// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memory that a work request names, and parts of it. */
class SgeListTest {
  private final SgeList list = new SgeList(3);
  private ScriptedQueuePair pair;
  private MemoryRegion one;
  private MemoryRegion two;

  @BeforeEach
  void register() throws Exception {
    pair = new ScriptedQueuePair();
    one = pair.register(10);
    two = pair.register(20);
    list.add(one.address(), 10, one.localKey());
    list.add(two.address() + 5, 6, two.localKey());
  }

  /** Position and limit of each view of a part. */
  private List<String> views(long offset, int bytes) {
    PayloadViews views = new PayloadViews();
    assertTrue(list.addViews(pair.device.keys(), pair.domain, 0, offset, bytes, views));
    List<String> ranges = new ArrayList<>();
    for (int i = 0; i < views.size(); i++) {
      ranges.add(views.get(i).position() + "-" + views.get(i).limit());
    }
    return ranges;
  }

  @Test
  void shouldNameExactlyTheBytesOfAPart() {
    assertEquals(List.of("0-10", "5-11"), views(0, 16));
    assertEquals(List.of("3-10"), views(3, 7));
    assertEquals(List.of("3-10", "5-6"), views(3, 8));
    assertEquals(List.of("5-11"), views(10, 6));
    assertEquals(List.of("7-8"), views(12, 1));
    assertEquals(List.of(), views(4, 0));
  }

  /** A part is of use even where what it does not touch is gone. */
  @Test
  void shouldNotNeedWhatIsOutsideThePart() throws Exception {
    two.close();
    assertEquals(List.of("0-10"), views(0, 10));
    PayloadViews views = new PayloadViews();
    assertFalse(list.addViews(pair.device.keys(), pair.domain, 0, 0, 11, views));
  }

  @Test
  void shouldPermitEmptyEntriesWithoutAKey() {
    assertTrue(list.isPermitted(pair.device.keys(), pair.domain, 0));
    list.add(0, 0, 0);
    assertTrue(list.isPermitted(pair.device.keys(), pair.domain, 0));
    assertEquals(List.of("0-10", "5-11"), views(0, 16));
  }

  @Test
  void shouldNotPermitWhatIsNotRegistered() {
    list.add(two.address() + 15, 6, two.localKey());
    assertFalse(list.isPermitted(pair.device.keys(), pair.domain, 0));
  }

  @Test
  void shouldBeOverfullBeyondItsCapacity() {
    list.add(0, 0, 0);
    assertFalse(list.isOverfull());
    list.add(0, 100, 0);
    assertTrue(list.isOverfull());
    assertEquals(16, list.totalBytes());
    list.clear();
    assertFalse(list.isOverfull());
    assertEquals(0, list.totalBytes());
  }

  @Test
  void shouldCountLengthsWithoutASign() {
    list.add(0, -1, 0);
    assertEquals(16 + 0xFFFF_FFFFL, list.totalBytes());
  }
}
