// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.DatabaseSummary;
import io.meshtransport.neighbours.wire.EncodedRecord;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The newest record of each node, at most {@value #MAX_NODES}. A record that is not refreshed in
 * its lifetime is removed.
 */
public final class LinkStateDatabase {
  /** Max nodes: four times what the protocol is made for. */
  public static final int MAX_NODES = 256;

  /** What became of a record that was offered. */
  enum Offer {
    /** Newer than the one that was there, or the first of its node. */
    STORED,
    /** The one that was there. */
    SAME,
    /** Older than the one that is there. */
    OLDER,
    /** Of one node more than there is space for. */
    FULL
  }

  private final NavigableMap<NodeId, StoredRecord> records = new TreeMap<>(RecordVersion.ID_ORDER);
  private long digest;

  /** Stores a record if it is newer than the one that is there. */
  Offer offer(EncodedRecord encoded, int lifetimeMs, long nowNs) {
    StoredRecord before = records.get(encoded.version().origin());
    if (before == null && records.size() >= MAX_NODES) {
      return Offer.FULL;
    }
    if (before != null && before.encoded().version().equals(encoded.version())) {
      return Offer.SAME;
    }
    if (before != null && !encoded.version().isNewerThan(before.encoded().version())) {
      return Offer.OLDER;
    }
    long expiresNs = nowNs + TimeUnit.MILLISECONDS.toNanos(lifetimeMs);
    records.put(encoded.version().origin(), new StoredRecord(encoded, expiresNs));
    digest ^=
        encoded.version().digest() ^ (before == null ? 0 : before.encoded().version().digest());
    return Offer.STORED;
  }

  /** The record of a node. */
  Optional<StoredRecord> get(NodeId node) {
    return Optional.ofNullable(records.get(node));
  }

  /** The version of a node's record. */
  Optional<RecordVersion> version(NodeId node) {
    return get(node).map(each -> each.encoded().version());
  }

  /** Removes what is valid no longer, except the record of this node. */
  List<NodeRecord> expire(NodeId self, long nowNs) {
    List<NodeRecord> expired = new ArrayList<>();
    Iterator<StoredRecord> all = records.values().iterator();
    while (all.hasNext()) {
      StoredRecord each = all.next();
      if (each.expiresNs() <= nowNs && !each.encoded().version().origin().equals(self)) {
        all.remove();
        digest ^= each.encoded().version().digest();
        expired.add(each.encoded().record());
      }
    }
    return expired;
  }

  /** When the first record expires. */
  long nextExpiryNs(NodeId self) {
    long nextNs = Long.MAX_VALUE;
    for (StoredRecord each : records.values()) {
      if (!each.encoded().version().origin().equals(self)) {
        nextNs = Math.min(nextNs, each.expiresNs());
      }
    }
    return nextNs;
  }

  /** Equal for equal databases, and as good as never for others; 0 if it is empty. */
  public long digest() {
    return digest;
  }

  /** Number of records, those of nodes that have left included. */
  public int size() {
    return records.size();
  }

  /** All records, in the order of the nodes' ids. */
  public List<NodeRecord> records() {
    return records.values().stream().map(each -> each.encoded().record()).toList();
  }

  /** All versions of nodes that a summary covers. */
  List<RecordVersion> covered(DatabaseSummary summary) {
    return records.subMap(summary.first(), true, summary.last(), true).values().stream()
        .map(each -> each.encoded().version())
        .toList();
  }

  /** The whole database in as many summaries as it needs, one at least. */
  List<DatabaseSummary> summaries() {
    List<DatabaseSummary> summaries = new ArrayList<>();
    List<RecordVersion> page = new ArrayList<>();
    NodeId first = DatabaseSummary.LOWEST;
    int left = records.size();
    for (StoredRecord each : records.values()) {
      page.add(each.encoded().version());
      left--;
      if (page.size() == DatabaseSummary.MAX_VERSIONS && left > 0) {
        NodeId last = each.encoded().version().origin();
        summaries.add(new DatabaseSummary(first, last, page));
        // The next page covers this id again, so it lists it again.
        page = new ArrayList<>(List.of(each.encoded().version()));
        first = last;
      }
    }
    summaries.add(new DatabaseSummary(first, DatabaseSummary.HIGHEST, page));
    return summaries;
  }
}
