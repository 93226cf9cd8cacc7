// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.stats.NeighbourCounters;
import io.meshtransport.neighbours.wire.DatabaseSummary;
import io.meshtransport.neighbours.wire.EncodedRecord;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordAcknowledgement;
import io.meshtransport.neighbours.wire.RecordFlood;
import io.meshtransport.neighbours.wire.RecordVersion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the databases of all nodes equal. A record that is new goes at once to every neighbour but
 * the one it came from, again every 100 ms until it is acknowledged. Summaries find what is
 * missing: at a new adjacency, and when the digests in two neighbours' hellos differ.
 */
public final class Flooding {
  /**
   * Pause between summaries to one neighbour while the digests differ: longer than a hello's, so
   * that what is on its way arrives first.
   */
  static final long SUMMARY_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Pause between summaries that answer one in which the neighbour has something newer. */
  static final long SUMMARY_ANSWER_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * A record with less lifetime left is not stored where there is none: it would come back from
   * node to node while it expires.
   */
  static final int MIN_LIFETIME_MS = 1000;

  private final NodeId self;
  private final RecordOutput output;
  private final RecordListener listener;
  private final NeighbourCounters counters;
  private final LinkStateDatabase database = new LinkStateDatabase();
  private final Map<AdjacencyId, FloodQueue> queues = new LinkedHashMap<>();

  public Flooding(
      NodeId self, RecordOutput output, RecordListener listener, NeighbourCounters counters) {
    this.self = self;
    this.output = output;
    this.listener = listener;
    this.counters = counters;
  }

  /** What all nodes say of themselves. */
  public LinkStateDatabase database() {
    return database;
  }

  /** A cable to a neighbour works. */
  public void up(AdjacencyId neighbour, long nowNs) {
    FloodQueue queue = new FloodQueue();
    queues.put(neighbour, queue);
    summarize(neighbour, queue, 0, nowNs);
  }

  /** A cable to a neighbour works no longer. */
  public void down(AdjacencyId neighbour) {
    queues.remove(neighbour);
  }

  /** A hello of a neighbour had the digest of its database. */
  public void digest(AdjacencyId from, long digest, long nowNs) {
    FloodQueue queue = queues.get(from);
    if (queue != null && digest != database.digest()) {
      summarize(from, queue, SUMMARY_NS, nowNs);
    }
  }

  /**
   * This node has a new record of itself.
   *
   * @param record newer than all before
   */
  public void originate(NodeRecord record, long nowNs) {
    EncodedRecord encoded = EncodedRecord.of(record);
    LinkStateDatabase.Offer offer = database.offer(encoded, RecordFlood.MAX_LIFETIME_MS, nowNs);
    if (offer != LinkStateDatabase.Offer.STORED) {
      throw new IllegalStateException("the new record of this node is " + offer);
    }
    spread(self, null, nowNs);
  }

  /** Sends to all but one neighbour. */
  private void spread(NodeId node, AdjacencyId from, long nowNs) {
    queues.forEach(
        (neighbour, queue) -> {
          if (!neighbour.equals(from)) {
            queue.add(node);
            send(neighbour, queue, nowNs);
          }
        });
  }

  /** A record arrived. */
  public void received(AdjacencyId from, RecordFlood flood, long nowNs) {
    FloodQueue queue = queues.get(from);
    EncodedRecord encoded = flood.record();
    NodeId origin = encoded.version().origin();
    if (queue == null) {
      return;
    }
    if (origin.equals(self)) {
      receivedOwn(from, queue, encoded.version(), nowNs);
      return;
    }
    boolean isFading = flood.lifetimeMs() < MIN_LIFETIME_MS && database.get(origin).isEmpty();
    LinkStateDatabase.Offer offer =
        isFading
            ? LinkStateDatabase.Offer.SAME
            : database.offer(encoded, flood.lifetimeMs(), nowNs);
    switch (offer) {
      case STORED -> {
        queue.remove(origin);
        acknowledge(from, encoded.version());
        spread(origin, from, nowNs);
        listener.stored(encoded.record(), nowNs);
      }
      case SAME -> {
        queue.remove(origin);
        acknowledge(from, encoded.version());
      }
      case OLDER -> offerNewer(from, queue, origin, nowNs);
      case FULL -> {
        counters.count(NeighbourCounter.DATABASE_FULL);
        // So that it is not sent again ten times a second.
        acknowledge(from, encoded.version());
      }
      default -> throw new IllegalStateException("unknown: " + offer);
    }
  }

  private void receivedOwn(AdjacencyId from, FloodQueue queue, RecordVersion version, long nowNs) {
    Optional<RecordVersion> own = database.version(self);
    if (own.isPresent() && own.get().equals(version)) {
      queue.remove(self);
      acknowledge(from, version);
    } else if (own.isPresent() && own.get().isNewerThan(version)) {
      offerNewer(from, queue, self, nowNs);
    } else {
      counters.count(NeighbourCounter.OWN_RECORD_OUTRUN);
      acknowledge(from, version);
      listener.outrun(version, nowNs);
    }
  }

  /** The neighbour has an older record; one that is on its way to it already is not sent twice. */
  private void offerNewer(AdjacencyId to, FloodQueue queue, NodeId node, long nowNs) {
    if (!queue.has(node)) {
      queue.add(node);
      send(to, queue, nowNs);
    }
  }

  private void acknowledge(AdjacencyId to, RecordVersion version) {
    output.send(to, new RecordAcknowledgement(version));
  }

  /** A neighbour has a version of a record. */
  public void acknowledged(AdjacencyId from, RecordAcknowledgement what, long nowNs) {
    FloodQueue queue = queues.get(from);
    NodeId origin = what.version().origin();
    boolean isNewest =
        database.version(origin).map(own -> !own.isNewerThan(what.version())).orElse(true);
    if (queue != null && isNewest) {
      queue.remove(origin);
      send(from, queue, nowNs);
    }
  }

  /** A neighbour says which records it has. */
  public void summarized(AdjacencyId from, DatabaseSummary summary, long nowNs) {
    FloodQueue queue = queues.get(from);
    if (queue == null) {
      return;
    }
    Map<NodeId, RecordVersion> theirs = new LinkedHashMap<>();
    summary.versions().forEach(each -> theirs.put(each.origin(), each));
    for (RecordVersion mine : database.covered(summary)) {
      RecordVersion other = theirs.get(mine.origin());
      if (other == null || mine.isNewerThan(other)) {
        if (!queue.has(mine.origin())) {
          queue.add(mine.origin());
        }
      } else {
        queue.remove(mine.origin());
      }
    }
    send(from, queue, nowNs);
    boolean hasNewer =
        summary.versions().stream()
            .anyMatch(
                each ->
                    database
                        .version(each.origin())
                        .map(mine -> each.isNewerThan(mine))
                        .orElse(true));
    if (hasNewer && !summarize(from, queue, SUMMARY_ANSWER_NS, nowNs)) {
      // The one sent last reached a neighbour that did not have the adjacency yet.
      queue.summarizeLater(SUMMARY_ANSWER_NS);
    }
  }

  /** Whether the last summary was long enough ago for another. */
  private boolean summarize(AdjacencyId to, FloodQueue queue, long pauseNs, long nowNs) {
    if (!queue.maySummarize(pauseNs, nowNs)) {
      return false;
    }
    counters.count(NeighbourCounter.SUMMARIES_SENT);
    database.summaries().forEach(each -> output.send(to, each));
    return true;
  }

  private void send(AdjacencyId to, FloodQueue queue, long nowNs) {
    for (FloodQueue.Due each : queue.due(nowNs)) {
      Optional<StoredRecord> stored = database.get(each.node());
      if (stored.isEmpty()) {
        queue.remove(each.node());
        continue;
      }
      if (each.isRepeated()) {
        counters.count(NeighbourCounter.RECORDS_RESENT);
      }
      long leftMs = TimeUnit.NANOSECONDS.toMillis(stored.get().expiresNs() - nowNs);
      int lifetimeMs = (int) Math.max(0, Math.min(RecordFlood.MAX_LIFETIME_MS, leftMs));
      output.send(to, new RecordFlood(lifetimeMs, stored.get().encoded()));
    }
  }

  /** Whether a neighbour has yet to acknowledge the record of a node. */
  public boolean isUnderWay(NodeId node) {
    return queues.values().stream().anyMatch(queue -> queue.has(node));
  }

  /** Sends again what was not acknowledged, and what had to wait; removes what has expired. */
  public void tick(long nowNs) {
    for (NodeRecord each : database.expire(self, nowNs)) {
      counters.count(NeighbourCounter.RECORDS_EXPIRED);
      queues.values().forEach(queue -> queue.remove(each.origin()));
      listener.expired(each, nowNs);
    }
    queues.forEach(
        (neighbour, queue) -> {
          if (queue.isSummaryDue(nowNs)) {
            summarize(neighbour, queue, SUMMARY_ANSWER_NS, nowNs);
          }
          send(neighbour, queue, nowNs);
        });
  }

  /** When {@link #tick} has something to do. */
  public long nextDueNs(long nowNs) {
    long nextNs = database.nextExpiryNs(self);
    for (FloodQueue each : queues.values()) {
      nextNs = Math.min(nextNs, each.nextDueNs(nowNs));
    }
    return nextNs;
  }
}
