// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Measures the links of one rank when it joins, all ranks at the same time: how fast long messages
 * come in, some times over, then round trips of short ones. Takes some tens of milliseconds each
 * time; a link that is too slow for that counts with what has come. Used once; with the member's
 * lock.
 */
final class LinkProbe {
  private static final int PINGS = 32;

  /** The best counts: a program that has just begun is slow at first, and hosts are busy. */
  private static final int ROUNDS = 4;

  private static final byte[] BULK = new byte[24 << 10];

  /** Of each link, as long as they fit into the time. */
  private static final long MAX_BULK_BYTES = 2 << 20;

  private static final long BULK_NS = 30_000_000;

  /** The first bytes may come at another rate: what limits a cable often lets some through. */
  private static final long WARM_UP_BYTES = 512 << 10;

  private static final int MAX_WAITING = 4;

  /** For what is on its way on a link of 1 Mb/s. */
  private static final long LIMIT_NS = 1_500_000_000;

  private static final double NS_PER_S = 1e9;

  private final LocalRank member;

  /** Above all numbers of links, by which all arrays are. */
  private final int size;

  private final int[] pongs;
  private final long[] pingedNs;
  private final long[] bestNs;
  private final long[] bytes;
  private final long[] markBytes;
  private final long[] markNs;
  private final long[] lastNs;
  private final long[] bestRate;
  private final boolean[] isEnded;

  LinkProbe(LocalRank member) {
    this.member = member;
    size = member.links().bound();
    pongs = new int[size];
    pingedNs = new long[size];
    bestNs = new long[size];
    bytes = new long[size];
    markBytes = new long[size];
    markNs = new long[size];
    lastNs = new long[size];
    bestRate = new long[size];
    isEnded = new boolean[size];
  }

  /** Measures, once all ranks are ready to; answers the links as this rank receives over them. */
  List<JoinedGraph.Link> measure(Deadline deadline) throws CollectiveException {
    member.probe(this);
    for (int round = 0; round < ROUNDS; round++) {
      Arrays.fill(bytes, 0);
      Arrays.fill(isEnded, false);
      awaitOthers(deadline);
      sendAll();
      awaitEnds();
      rate();
    }
    awaitOthers(deadline);
    pingAll();
    return links();
  }

  private void awaitOthers(Deadline deadline) throws CollectiveException {
    member.exchange(
        RoundKind.MEASURE, new byte[0], "joining the group", Math.max(0, deadline.leftNs()));
  }

  private void awaitEnds() throws CollectiveException {
    long endNs = System.nanoTime() + LIMIT_NS;
    while (!areAllEnded() && endNs - System.nanoTime() > 0) {
      member.check();
      member.waitFor(Math.max(1, endNs - System.nanoTime()));
    }
  }

  private void rate() {
    for (int link = 0; link < size; link++) {
      long tookNs = lastNs[link] - markNs[link];
      long came = bytes[link] - markBytes[link];
      if (bytes[link] > 0 && tookNs > 0 && came > 0) {
        bestRate[link] = Math.max(bestRate[link], (long) (came * NS_PER_S / tookNs));
      }
    }
  }

  private boolean hasLink(int link) {
    return member.links().has(link);
  }

  private void pingAll() throws CollectiveException {
    long endNs = System.nanoTime() + BULK_NS;
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
      if (hasLink(link) && pongs[link] < PINGS) {
        return false;
      }
    }
    return true;
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
        long tookNs = nowNs - pingedNs[from];
        bestNs[from] = pongs[from] == 0 ? tookNs : Math.min(bestNs[from], tookNs);
        if (++pongs[from] < PINGS) {
          ping(from);
        }
      }
      case BULK -> arrived(from, message.body().length, nowNs);
      case BULK_END -> isEnded[from] = true;
      default -> throw new IllegalArgumentException("no message of a probe: " + message.kind());
    }
  }

  private void arrived(int from, int length, long nowNs) {
    if (bytes[from] == 0 || bytes[from] < WARM_UP_BYTES && bytes[from] + length >= WARM_UP_BYTES) {
      markBytes[from] = bytes[from] + length;
      markNs[from] = nowNs;
    }
    bytes[from] += length;
    lastNs[from] = nowNs;
  }

  private void sendAll() throws CollectiveException {
    long[] sent = new long[size];
    long endNs = System.nanoTime() + BULK_NS;
    boolean isDone = false;
    while (!isDone) {
      isDone = true;
      for (int link = 0; link < size; link++) {
        boolean isOver = sent[link] >= MAX_BULK_BYTES || endNs - System.nanoTime() <= 0;
        while (hasLink(link) && !isOver && member.links().controlOutstanding(link) < MAX_WAITING) {
          member.send(link, RankMessage.Kind.BULK, BULK);
          sent[link] += BULK.length;
          isOver = sent[link] >= MAX_BULK_BYTES;
        }
        isDone &= !hasLink(link) || isOver;
      }
      member.check();
      if (!isDone) {
        member.waitFor(Math.max(1, endNs - System.nanoTime()));
      }
    }
    for (int link = 0; link < size; link++) {
      if (hasLink(link)) {
        member.send(link, RankMessage.Kind.BULK_END, new byte[0]);
      }
    }
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
                bestRate[link],
                bestNs[link] / 2,
                false,
                link / member.membership().size()));
      }
    }
    return links;
  }
}
