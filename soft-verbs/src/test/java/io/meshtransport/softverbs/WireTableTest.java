// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.WireKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WireTableTest {
  private static final int MANY = 1000;

  private final WireTable table = new WireTable();

  /** A wire enters the table by itself. */
  private TcpWire wire() {
    Gid gid = Gid.ofBytes(new byte[Gid.LENGTH_BYTES]);
    WireEnds ends = new WireEnds(gid, 1, 2, gid, 3, 4);
    return new TcpWire(null, WireUser.NOBODY, ends, new WireProof(WireKey.NONE, ends, true), table);
  }

  @Test
  void shouldFindEachWireByItsName() {
    List<TcpWire> wires = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      wires.add(wire());
    }
    for (TcpWire wire : wires) {
      assertSame(wire, table.find(wire.name()));
    }
  }

  @Test
  void shouldFindNobodyByANameThatWasNotGiven() {
    assertNull(table.find(WireTable.NO_NAME));
    TcpWire first = wire();
    assertNotEquals(WireTable.NO_NAME, first.name());
    long next = 1L << Integer.SIZE;
    for (long name :
        new long[] {
          WireTable.NO_NAME,
          first.name() + 1,
          first.name() - 1,
          first.name() + next,
          first.name() - next,
          first.name() | 0xFFFF_FFFFL,
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          -1
        }) {
      assertNull(table.find(name), Long.toHexString(name));
    }
  }

  @Test
  void shouldNotGiveANameTwice() {
    Set<Long> names = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      long name = wire().name();
      assertTrue(names.add(name), "given twice: " + name);
      table.remove(name);
      assertNull(table.find(name));
    }
  }

  @Test
  void shouldTakeThePlacesOfThoseThatAreGone() {
    List<TcpWire> former = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      former.add(wire());
    }
    former.forEach(wire -> table.remove(wire.name()));
    for (int i = 0; i < MANY; i++) {
      assertTrue((int) wire().name() < MANY, "the table grows though places are free");
    }
    assertEquals(MANY, (int) wire().name());
  }

  @Test
  void shouldRemoveNobodyElseByAFormerName() {
    TcpWire former = wire();
    table.remove(former.name());
    TcpWire next = wire();
    assertEquals((int) former.name(), (int) next.name(), "the same place");
    table.remove(former.name());
    assertSame(next, table.find(next.name()));
    assertNotEquals((int) next.name(), (int) wire().name(), "a place that is taken");
  }
}
