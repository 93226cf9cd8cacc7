// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection whose opened end is at a poller, in the hands of the test's thread. The other end is
 * at a poller as well, or at none.
 */
record PolledPair(ConnectionPair pair, Poller poller) {
  private static final Duration MOMENT = Duration.ofMillis(1);

  /**
   * An entry of a table, which the next poll does not change.
   *
   * @param failure null unless the kind is FAILED or CLOSED
   */
  record Entry(
      Connection connection,
      CompletionKind kind,
      long userData,
      long request,
      long lengthBytes,
      TransportException failure) {
    private static Entry of(Completions table, int index) {
      return new Entry(
          table.connection(index),
          table.kind(index),
          table.userData(index),
          table.request(index),
          table.lengthBytes(index),
          table.failure(index));
    }

    TransportException.Reason reason() {
      assertTrue(failure != null, () -> "no failure: " + this);
      return failure.reason();
    }
  }

  static PolledPair between(Transport from, Transport to) throws TransportException {
    Poller poller = from.newPoller();
    ConnectionPair pair = ConnectionPair.between(from, to);
    poller.add(pair.opened());
    return new PolledPair(pair, poller);
  }

  /** All entries of one poll. */
  static List<Entry> entries(Completions table) {
    List<Entry> all = new ArrayList<>();
    for (int i = 0; i < table.count(); i++) {
      all.add(Entry.of(table, i));
    }
    return all;
  }

  /** Waits for so many entries, and moves the other end along if that is at no poller. */
  List<Entry> collect(int count) {
    return collect(poller, count, pair.accepted());
  }

  static List<Entry> collect(Poller poller, int count, Connection... others) {
    Completions table = new Completions(16);
    List<Entry> all = new ArrayList<>();
    long begin = System.nanoTime();
    while (all.size() < count) {
      assertEquals(poller.await(table, MOMENT), table.count());
      all.addAll(entries(table));
      for (Connection other : others) {
        other.awaitProgress(-1, Duration.ZERO);
      }
      assertTrue(
          System.nanoTime() - begin < ContractChapter.PATIENCE.toNanos(),
          () -> all.size() + " of " + count + " ends were reported: " + all);
    }
    assertEquals(count, all.size(), all.toString());
    return all;
  }

  /** Insists that a poller has nothing to report, and will have nothing in a while. */
  static void assertNothingMore(Poller poller) {
    Completions table = new Completions(16);
    assertEquals(0, poller.await(table, Duration.ofMillis(20)), () -> "" + entries(table));
  }
}
