// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Measures the links of one rank when it joins, all ranks at the same time: how fast long messages
 * come in ({@link ArrivalRate}), some times over, then round trips of short ones. What is long is
 * put, as operations do it, in pieces of which a program that has just begun handles few. Takes
 * some tens of milliseconds each time, and longer where links are slow or compilers are not done.
 * Used once; with the member's lock.
 */
final class LinkProbe {
  /**
   * Round trips are over once so many in a row have not been shorter than those before: by then the
   * ends are compiled, or busy with other things.
   */
  private static final int PINGS = 128;

  private static final int MAX_PINGS = 4096;
  private static final double SHORTER = 0.9;

  /** A round trip of a program that has just begun takes up to a millisecond. */
  private static final long PING_NS = 100_000_000;

  /** The best counts: a program that has just begun is slow at first, and hosts are busy. */
  private static final int ROUNDS = 4;

  /** Of a put; all neighbours' go to the same place. */
  private static final int BULK_BYTES = 128 << 10;

  /** The engine has no part in puts of the probe. */
  private static final int NOTICE = 0;

  /** Of each link, as long as they fit into the time. */
  private static final long MAX_BULK_BYTES = 8 << 20;

  private static final long BULK_NS = 30_000_000;

  /**
   * Less says little of a link, so that one that is slow, or a host that is busy, has more time.
   */
  private static final long MIN_BULK_BYTES = 1 << 20;

  private static final long MAX_BULK_NS = 250_000_000;

  /** Puts that have not ended, and more once as many have: not on a link of 1 Mb/s. */
  private static final int MAX_WAITING = 3;

  private static final int MAX_WAITING_OF_FAST = 12;

  /** For what is on its way on a link of 1 Mb/s. */
  private static final long LIMIT_NS = 4_000_000_000L;

  private final LocalRank member;

  /** Above all numbers of links, by which all arrays are. */
  private final int size;

  private final int[] pongs;
  private final long[] pingedNs;
  private final long[] bestNs;

  /** Of each link: which round trip was the first of its length. */
  private final int[] bestAt;

  private final ArrivalRate[] rates;
  private final boolean[] isEnded;

  /** Of each link: whether one round took so long that it must do. */
  private final boolean[] isSlow;

  /** Of each link: puts that have not ended. */
  private final int[] waiting;

  /** By rank: where to put. */
  private final RemoteMemory[] targets;

  private final Transport transport;
  private Phase phase = Phase.EXCHANGING;

  /** EXCHANGING -> PUTTING -> PINGING -> DONE, each once. */
  private enum Phase {
    /** Ranks give each other the keys of where to put. */
    EXCHANGING,
    /** Puts that end, and notices that come, are of the probe. */
    PUTTING,
    /** Each answer to a ping is followed by the next. */
    PINGING,
    /** Answers may still come, and begin nothing. */
    DONE
  }

  LinkProbe(LocalRank member) {
    this.member = member;
    transport = member.links().transport();
    size = member.links().bound();
    pongs = new int[size];
    pingedNs = new long[size];
    bestNs = new long[size];
    bestAt = new int[size];
    rates = new ArrivalRate[size];
    Arrays.setAll(rates, link -> new ArrivalRate());
    isEnded = new boolean[size];
    isSlow = new boolean[size];
    waiting = new int[size];
    targets = new RemoteMemory[member.membership().size()];
  }

  /** Measures, once all ranks are ready to; answers the links as this rank receives over them. */
  List<JoinedGraph.Link> measure(Deadline deadline) throws CollectiveException {
    member.probe(this);
    try (RegisteredMemory memory = transport.allocate(2L * BULK_BYTES, Set.of(RemoteAccess.PUT))) {
      exchangeKeys(memory.remoteKey(), deadline);
      become(Phase.PUTTING);
      for (int round = 0; round < ROUNDS; round++) {
        Arrays.fill(isEnded, false);
        awaitOthers(deadline);
        for (ArrivalRate each : rates) {
          each.beginRound(System.nanoTime());
        }
        sendAll(memory, round > 0, deadline);
        awaitEnds();
        for (ArrivalRate each : rates) {
          each.endRound();
        }
      }
      // No rank puts any more once all are here.
      awaitOthers(deadline);
      become(Phase.PINGING);
    } catch (TransportException e) {
      throw GroupJoin.failure(
          CollectiveException.Reason.RESOURCES,
          member.membership().spec() + ": memory to measure links with: " + e.summary(),
          e);
    }
    pingAll();
    become(Phase.DONE);
    return links();
  }

  private void become(Phase next) {
    if (next.ordinal() != phase.ordinal() + 1) {
      throw new IllegalStateException(phase + " is not followed by " + next);
    }
    phase = next;
  }

  /** Whether puts that end, and notices that come, are of this. */
  boolean isPutting() {
    return phase == Phase.PUTTING;
  }

  private void exchangeKeys(byte[] mine, Deadline deadline)
      throws CollectiveException, TransportException {
    byte[][] keys = exchange(mine, deadline);
    for (int rank = 0; rank < keys.length; rank++) {
      if (hasLink(rank)) {
        targets[rank] = transport.remoteMemory(keys[rank]);
      }
    }
  }

  private void awaitOthers(Deadline deadline) throws CollectiveException {
    exchange(new byte[0], deadline);
  }

  private byte[][] exchange(byte[] mine, Deadline deadline) throws CollectiveException {
    return member
        .rounds()
        .exchange(RoundKind.MEASURE, mine, "joining the group", Math.max(0, deadline.leftNs()));
  }

  private void awaitEnds() throws CollectiveException {
    long endNs = System.nanoTime() + LIMIT_NS;
    while (!areAllEnded() && endNs - System.nanoTime() > 0) {
      member.check();
      member.waitFor(Math.max(1, endNs - System.nanoTime()));
    }
  }

  private boolean hasLink(int link) {
    return member.links().has(link);
  }

  private void pingAll() throws CollectiveException {
    long endNs = System.nanoTime() + PING_NS;
    for (int link = 0; link < size; link++) {
      ping(link);
    }
    while (!isPingDone() && endNs - System.nanoTime() > 0) {
      member.check();
      member.waitFor(Math.max(1, endNs - System.nanoTime()));
    }
  }

  private boolean isPingDone() {
    for (int link = 0; link < size; link++) {
      if (hasLink(link) && !isPingDone(link)) {
        return false;
      }
    }
    return true;
  }

  private boolean isPingDone(int link) {
    return pongs[link] >= MAX_PINGS || pongs[link] - bestAt[link] >= PINGS;
  }

  private void ping(int link) {
    if (hasLink(link)) {
      pingedNs[link] = System.nanoTime();
      member.send(link, RankMessage.Kind.PING, new byte[0]);
    }
  }

  /** A message of a neighbour's probe. */
  void handle(int from, RankMessage message) {
    long nowNs = System.nanoTime();
    switch (message.kind()) {
      case PING -> member.send(from, RankMessage.Kind.PONG, new byte[0]);
      case PONG -> {
        ponged(from, nowNs - pingedNs[from]);
        if (phase == Phase.PINGING && !isPingDone(from)) {
          ping(from);
        }
      }
      case BULK_END -> isEnded[from] = true;
      default -> throw new IllegalArgumentException("no message of a probe: " + message.kind());
    }
  }

  /** A put of a neighbour has arrived. */
  void arrived(int link) {
    rates[link].arrived(BULK_BYTES, System.nanoTime());
  }

  /** A put of this rank has ended. */
  void putDone(long link) {
    waiting[(int) link]--;
  }

  private void ponged(int from, long tookNs) {
    pongs[from]++;
    if (bestNs[from] == 0 || tookNs < SHORTER * bestNs[from]) {
      bestAt[from] = pongs[from];
    }
    bestNs[from] = bestNs[from] == 0 ? tookNs : Math.min(bestNs[from], tookNs);
  }

  /** In the first round all ends are slow. */
  private void sendAll(RegisteredMemory memory, boolean isWarm, Deadline deadline)
      throws CollectiveException {
    long[] sent = new long[size];
    long beginNs = System.nanoTime();
    boolean isDone = false;
    while (!isDone && deadline.leftNs() > 0) {
      isDone = true;
      for (int link = 0; link < size; link++) {
        boolean isOver =
            !hasLink(link) || isSlow[link] || isOver(sent[link], System.nanoTime() - beginNs);
        while (!isOver && waiting[link] < maxWaiting(link, sent[link])) {
          put(link, memory);
          sent[link] += BULK_BYTES;
          isOver = sent[link] >= MAX_BULK_BYTES;
        }
        isDone &= isOver && waiting[link] == 0;
      }
      member.check();
      if (!isDone) {
        member.waitFor(BULK_NS);
      }
    }
    for (int link = 0; link < size; link++) {
      isSlow[link] |= isWarm && sent[link] < MIN_BULK_BYTES;
      if (hasLink(link)) {
        member.send(link, RankMessage.Kind.BULK_END, new byte[0]);
      }
    }
  }

  private int maxWaiting(int link, long sentBytes) {
    long ended = sentBytes / BULK_BYTES - waiting[link];
    return ended >= MAX_WAITING ? MAX_WAITING_OF_FAST : MAX_WAITING;
  }

  private void put(int link, RegisteredMemory memory) {
    RemoteMemory target = targets[link % targets.length];
    waiting[link]++;
    member.links().add(memory, 0, BULK_BYTES, target, BULK_BYTES);
    member.links().put(link, NOTICE, link);
  }

  private static boolean isOver(long sentBytes, long tookNs) {
    return sentBytes >= MAX_BULK_BYTES
        || tookNs >= BULK_NS && sentBytes >= MIN_BULK_BYTES
        || tookNs >= MAX_BULK_NS;
  }

  private boolean areAllEnded() {
    for (int link = 0; link < size; link++) {
      if (hasLink(link) && !isEnded[link]) {
        return false;
      }
    }
    return true;
  }

  private List<JoinedGraph.Link> links() {
    List<JoinedGraph.Link> links = new ArrayList<>();
    int self = member.membership().rank();
    for (int link = 0; link < size; link++) {
      if (hasLink(link)) {
        int neighbour = link % member.membership().size();
        links.add(
            new JoinedGraph.Link(
                Math.min(self, neighbour),
                Math.max(self, neighbour),
                rates[link].bytesPerSecond(),
                bestNs[link] / 2,
                false,
                link / member.membership().size()));
      }
    }
    return links;
  }
}
