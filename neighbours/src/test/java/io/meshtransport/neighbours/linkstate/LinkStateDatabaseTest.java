// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.DatabaseSummary;
import io.meshtransport.neighbours.wire.EncodedRecord;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** {@link StoredRecord}s by node. */
class LinkStateDatabaseTest {
  private static final NodeId SELF = new NodeId(9, 9);
  private static final int LIFETIME_MS = 1000;
  private static final long MS_NS = 1_000_000;

  private final LinkStateDatabase database = new LinkStateDatabase();

  static EncodedRecord record(NodeId node, long incarnation, long sequence) {
    return EncodedRecord.of(
        new NodeRecord(node, incarnation, sequence, false, "n", List.of(), List.of(), List.of()));
  }

  private LinkStateDatabase.Offer offer(long id, long incarnation, long sequence) {
    return database.offer(record(new NodeId(0, id), incarnation, sequence), LIFETIME_MS, 0);
  }

  @Test
  void shouldKeepTheNewest() {
    assertEquals(LinkStateDatabase.Offer.STORED, offer(1, 5, 5));
    assertEquals(LinkStateDatabase.Offer.SAME, offer(1, 5, 5));
    assertEquals(LinkStateDatabase.Offer.OLDER, offer(1, 5, 4));
    assertEquals(LinkStateDatabase.Offer.OLDER, offer(1, 4, 9));
    assertEquals(LinkStateDatabase.Offer.STORED, offer(1, 6, 1));
    assertEquals(1, database.size());
  }

  @Test
  void shouldKeepNoMoreNodesThanItMay() {
    for (int i = 1; i <= LinkStateDatabase.MAX_NODES; i++) {
      assertEquals(LinkStateDatabase.Offer.STORED, offer(i, 1, 1));
    }
    assertEquals(LinkStateDatabase.Offer.FULL, offer(1000, 1, 1));
    assertEquals(LinkStateDatabase.Offer.STORED, offer(1, 1, 2));
  }

  @Test
  void shouldHaveTheDigestOfWhatItHas() {
    assertEquals(0, database.digest());
    offer(1, 1, 1);
    long one = database.digest();
    offer(2, 1, 1);
    offer(2, 1, 2);
    LinkStateDatabase other = new LinkStateDatabase();
    other.offer(record(new NodeId(0, 2), 1, 2), LIFETIME_MS, 5);
    assertNotEquals(database.digest(), other.digest());
    other.offer(record(new NodeId(0, 1), 1, 1), LIFETIME_MS, 7);
    assertEquals(database.digest(), other.digest());
    database.expire(new NodeId(0, 1), LIFETIME_MS * MS_NS);
    assertEquals(one, database.digest());
    database.expire(SELF, LIFETIME_MS * MS_NS);
    assertEquals(0, database.digest());
  }

  @Test
  void shouldRemoveWhatExpiresButNotItsOwn() {
    offer(1, 1, 1);
    database.offer(record(SELF, 1, 1), LIFETIME_MS, 0);
    assertEquals(LIFETIME_MS * MS_NS, database.nextExpiryNs(SELF));
    assertEquals(List.of(), database.expire(SELF, LIFETIME_MS * MS_NS - 1));
    assertEquals(1, database.expire(SELF, LIFETIME_MS * MS_NS).size());
    assertEquals(1, database.size());
    assertEquals(Long.MAX_VALUE, database.nextExpiryNs(SELF));
    assertTrue(database.version(SELF).isPresent());
  }

  @Property(tries = 200)
  void shouldSummarizeEverything(
      @ForAll @IntRange(max = LinkStateDatabase.MAX_NODES) int nodes, @ForAll long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < nodes; i++) {
      database.offer(
          record(new NodeId(random.nextLong(), random.nextLong() | 1), 1, 1), LIFETIME_MS, 0);
    }
    Set<RecordVersion> listed = new HashSet<>();
    NodeId covered = DatabaseSummary.LOWEST;
    for (DatabaseSummary each : database.summaries()) {
      assertEquals(covered, each.first());
      assertEquals(database.covered(each), each.versions());
      listed.addAll(each.versions());
      covered = each.last();
    }
    assertEquals(DatabaseSummary.HIGHEST, covered);
    assertEquals(database.size(), listed.size());
  }
}
