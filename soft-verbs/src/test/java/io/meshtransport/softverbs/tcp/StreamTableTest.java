// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.verbs.WireKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StreamTableTest {
  private static final int MANY = 1000;

  private final StreamTable table = new StreamTable();

  /** A stream enters the table by itself. */
  private TcpStream stream() {
    Gid gid = Gid.ofBytes(new byte[Gid.LENGTH_BYTES]);
    StreamAddress ends = new StreamAddress(gid, 1, 2, gid, 3, 4);
    return new TcpStream(
        null, StreamListener.NONE, ends, new WireProof(WireKey.NONE, ends, true), table);
  }

  @Test
  void shouldFindEachStreamByItsName() {
    List<TcpStream> streams = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      streams.add(stream());
    }
    for (TcpStream stream : streams) {
      assertSame(stream, table.find(stream.name()));
    }
  }

  @Test
  void shouldFindNoStreamByANameThatWasNotGiven() {
    assertNull(table.find(StreamTable.NO_NAME));
    TcpStream first = stream();
    assertNotEquals(StreamTable.NO_NAME, first.name());
    long next = 1L << Integer.SIZE;
    for (long name :
        new long[] {
          StreamTable.NO_NAME,
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
      long name = stream().name();
      assertTrue(names.add(name), "given twice: " + name);
      table.remove(name);
      assertNull(table.find(name));
    }
  }

  @Test
  void shouldReuseTheSlotsOfRemovedStreams() {
    List<TcpStream> former = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      former.add(stream());
    }
    former.forEach(stream -> table.remove(stream.name()));
    for (int i = 0; i < MANY; i++) {
      assertTrue((int) stream().name() < MANY, "the table grows though places are free");
    }
    assertEquals(MANY, (int) stream().name());
  }

  @Test
  void shouldRemoveNoOtherStreamByAPreviousName() {
    TcpStream former = stream();
    table.remove(former.name());
    TcpStream next = stream();
    assertEquals((int) former.name(), (int) next.name(), "the same place");
    table.remove(former.name());
    assertSame(next, table.find(next.name()));
    assertNotEquals((int) next.name(), (int) stream().name(), "a place that is taken");
  }
}
