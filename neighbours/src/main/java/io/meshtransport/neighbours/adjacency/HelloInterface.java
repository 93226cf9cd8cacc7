// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import static io.meshtransport.neighbours.adjacency.AdjacencyState.DOWN;
import static io.meshtransport.neighbours.adjacency.AdjacencyState.HEARD;
import static io.meshtransport.neighbours.adjacency.AdjacencyState.UP;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.wire.DatagramHeader;
import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.neighbours.wire.SeenNeighbour;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * One interface: sends its hellos and keeps its adjacencies, at most {@link
 * NeighbourHello#MAX_SEEN}. Hellos go to the group of all nodes while nothing is up, rarely after
 * that, and to each known neighbour four times a second.
 */
public final class HelloInterface {
  /** Pause between hellos to a known neighbour. */
  public static final long HELLO_NS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * Pause between hellos to the group while no neighbour is up. Half a second, so that a cable that
   * is plugged in again works within one.
   */
  public static final long DISCOVERY_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Pause between hellos to the group while a neighbour is up: others may be behind a switch. */
  public static final long REDISCOVERY_NS = TimeUnit.SECONDS.toNanos(10);

  /** Min pause between hellos that answer a change at once. */
  public static final long ANSWER_GAP_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /**
   * Pauses are shortened by up to a quarter, so that nodes do not fall into step (RFC 5880, 6.8.7).
   */
  private static final double JITTER = 0.25;

  /** A hello may go so much before its time, with others. */
  static final long AHEAD_NS = HELLO_NS / 4;

  private final NodeId self;
  private final RandomGenerator random;
  private final HelloOutput output;
  private final AdjacencyListener listener;
  private final Map<AdjacencyId, Adjacency> adjacencies = new LinkedHashMap<>();
  private final CableEvidence evidence = new CableEvidence();
  private final RateLimit rate;
  private CableInterface local;
  private long nextGroupNs;
  private long nextHelloNs;
  private long answeredNs;
  private long changedNs;

  HelloInterface(
      NodeId self,
      CableInterface local,
      RandomGenerator random,
      HelloOutput output,
      AdjacencyListener listener,
      long nowNs) {
    this.self = self;
    this.local = local;
    this.random = random;
    this.output = output;
    this.listener = listener;
    this.rate = new RateLimit(nowNs);
    this.nextGroupNs = nowNs;
    this.nextHelloNs = nowNs + HELLO_NS;
    this.answeredNs = nowNs - ANSWER_GAP_NS;
    this.changedNs = nowNs;
  }

  /** The interface as it is now. */
  public CableInterface local() {
    return local;
  }

  /** When it came, or a neighbour on it did or ended, whichever was last. */
  public long changedNs() {
    return changedNs;
  }

  /** Its neighbours, heard or up. */
  public Collection<Adjacency> adjacencies() {
    return adjacencies.values();
  }

  /** What else arrived on it. */
  public CableEvidence evidence() {
    return evidence;
  }

  /** Whether one more datagram may be read. */
  public boolean admits(long nowNs) {
    return rate.admits(nowNs);
  }

  /** Whether a node is heard here, on any of its interfaces. */
  public boolean isHeard(NodeId node) {
    return adjacencies.keySet().stream().anyMatch(each -> each.peer().equals(node));
  }

  /** One of the adjacencies. */
  public Optional<Adjacency> adjacency(AdjacencyId id) {
    return Optional.ofNullable(adjacencies.get(id));
  }

  /** The adjacency of the sender of a datagram, in any state. */
  public Optional<Adjacency> adjacency(DatagramHeader header) {
    return Optional.ofNullable(adjacencies.get(idOf(header)))
        .filter(each -> each.incarnation() == header.incarnation());
  }

  /**
   * Whether a datagram other than a hello is from a neighbour that is up, and new.
   *
   * @return the reason if it is not
   */
  public Optional<NeighbourCounter> refusal(DatagramHeader header) {
    Optional<Adjacency> from = adjacency(header).filter(each -> each.state() == UP);
    if (from.isEmpty()) {
      return Optional.of(NeighbourCounter.NOT_ADJACENT);
    }
    return from.get().accept(header.counter())
        ? Optional.empty()
        : Optional.of(NeighbourCounter.REPLAYED);
  }

  private AdjacencyId idOf(DatagramHeader header) {
    return new AdjacencyId(local.index(), header.sender(), header.interfaceIndex());
  }

  /** The host says something else of the interface. */
  void changeTo(CableInterface now, long nowNs) {
    if (!now.equals(local)) {
      local = now;
      nextGroupNs = nowNs;
      answer(nowNs);
    }
  }

  /**
   * A hello of another node arrived.
   *
   * @return the reason if it is refused
   */
  public Optional<NeighbourCounter> heard(
      DatagramHeader header, NeighbourHello hello, InetAddress source, long nowNs) {
    AdjacencyId id = idOf(header);
    for (Adjacency each : List.copyOf(adjacencies.values())) {
      if (each.id().peer().equals(id.peer()) && header.incarnation() < each.incarnation()) {
        return Optional.of(NeighbourCounter.OLD_INCARNATION);
      }
      if (each.id().peer().equals(id.peer()) && header.incarnation() > each.incarnation()) {
        end(each, DownReason.RESTARTED, nowNs);
      }
    }
    Adjacency known = adjacencies.get(id);
    boolean isNew = known == null;
    if (isNew) {
      if (hello.leaving()) {
        return Optional.empty();
      }
      if (adjacencies.size() == NeighbourHello.MAX_SEEN) {
        evidence.neighbourRefused(nowNs);
        return Optional.of(NeighbourCounter.NEIGHBOURS_FULL);
      }
      known = new Adjacency(id, header.incarnation(), nonce(), nowNs);
    }
    if (!known.acceptHello(header.counter())) {
      return Optional.of(NeighbourCounter.REPLAYED);
    }
    if (hello.leaving()) {
      end(known, DownReason.LEFT, nowNs);
      return Optional.empty();
    }
    if (isNew) {
      changedNs = nowNs;
    }
    adjacencies.put(id, known);
    accept(known, isNew, hello, source, nowNs);
    return Optional.empty();
  }

  private void accept(
      Adjacency from, boolean isNew, NeighbourHello hello, InetAddress source, long nowNs) {
    SeenNeighbour seen = hello.seen(self, local.index()).orElse(null);
    boolean needsAnswer = from.heard(hello, source, seen, nowNs) || isNew;
    boolean isEchoed = from.isEchoed(seen);
    if (isEchoed && from.state() == HEARD) {
      from.moveTo(UP, nowNs);
      // The neighbour must know first that it is heard, or it refuses what follows.
      answer(nowNs);
      listener.up(from, nowNs);
    } else if (!isEchoed && from.state() == UP) {
      from.moveTo(HEARD, nowNs);
      nextGroupNs = Math.min(nextGroupNs, nowNs);
      listener.down(from, DownReason.ONE_WAY, nowNs);
      answer(nowNs);
    } else if (needsAnswer) {
      answer(nowNs);
    }
    if (from.state() == UP) {
      listener.heard(from, nowNs);
    }
  }

  private long nonce() {
    long nonce = random.nextLong();
    return nonce == 0 ? 1 : nonce;
  }

  private void end(Adjacency which, DownReason reason, long nowNs) {
    boolean wasUp = which.state() == UP;
    adjacencies.remove(which.id());
    changedNs = nowNs;
    which.moveTo(DOWN, nowNs);
    nextGroupNs = Math.min(nextGroupNs, nowNs);
    if (wasUp) {
      listener.down(which, reason, nowNs);
    }
  }

  /** The interface is used no longer. */
  void end(long nowNs) {
    for (Adjacency each : List.copyOf(adjacencies.values())) {
      end(each, DownReason.INTERFACE_GONE, nowNs);
    }
  }

  /** Sends a hello to the known neighbours now, or as soon as the gap has passed. */
  private void answer(long nowNs) {
    if (nowNs - answeredNs >= ANSWER_GAP_NS) {
      answeredNs = nowNs;
      toNeighbours(nowNs);
    } else {
      nextHelloNs = Math.min(nextHelloNs, answeredNs + ANSWER_GAP_NS);
    }
  }

  private void toNeighbours(long nowNs) {
    nextHelloNs = nowNs + shortened(HELLO_NS);
    if (!adjacencies.isEmpty()) {
      NeighbourHello hello = hello(nowNs);
      adjacencies.values().forEach(each -> output.toNeighbour(each, hello));
    }
  }

  private NeighbourHello hello(long nowNs) {
    NeighbourHello plain = output.hello(local, nowNs);
    List<SeenNeighbour> seen = new ArrayList<>();
    adjacencies.values().forEach(each -> seen.add(each.seen(nowNs)));
    return new NeighbourHello(
        plain.leaving(),
        plain.name(),
        plain.job(),
        plain.interfaceName(),
        plain.mtu(),
        plain.speedMbps(),
        plain.sentNs(),
        plain.databaseDigest(),
        plain.addresses(),
        seen);
  }

  private long shortened(long pauseNs) {
    return pauseNs - (long) (pauseNs * JITTER * random.nextDouble());
  }

  /** Whether hellos to the known neighbours are due. */
  boolean isHelloDue(long nowNs) {
    return nowNs >= nextHelloNs;
  }

  /**
   * Sends what is due, and ends adjacencies that are silent.
   *
   * @param aheadNs hellos to the known neighbours go so much before their time
   */
  void tick(long nowNs, long aheadNs) {
    for (Adjacency each : List.copyOf(adjacencies.values())) {
      if (nowNs - each.heardNs() >= Adjacency.SILENT_NS) {
        end(each, DownReason.SILENT, nowNs);
      }
    }
    if (nowNs >= nextGroupNs) {
      boolean isUp = adjacencies.values().stream().anyMatch(each -> each.state() == UP);
      nextGroupNs = nowNs + shortened(isUp ? REDISCOVERY_NS : DISCOVERY_NS);
      output.toGroup(local.index(), hello(nowNs));
    }
    if (isHelloDue(nowNs + aheadNs)) {
      toNeighbours(nowNs);
    }
  }

  /** Ends what is left of a life of a neighbour whose process is gone. */
  void processGone(NodeId peer, long incarnation, long nowNs) {
    for (Adjacency each : List.copyOf(adjacencies.values())) {
      if (each.id().peer().equals(peer) && each.incarnation() == incarnation) {
        end(each, DownReason.PROCESS_GONE, nowNs);
      }
    }
  }

  /** Sends a last hello to all. */
  void leave(long nowNs) {
    NeighbourHello last = hello(nowNs);
    adjacencies.values().forEach(each -> output.toNeighbour(each, last));
  }

  /** When {@link #tick} has something to do. */
  long nextDueNs() {
    long dueNs = nextGroupNs;
    for (Adjacency each : adjacencies.values()) {
      dueNs = Math.min(dueNs, Math.min(nextHelloNs, each.heardNs() + Adjacency.SILENT_NS));
    }
    return dueNs;
  }
}
