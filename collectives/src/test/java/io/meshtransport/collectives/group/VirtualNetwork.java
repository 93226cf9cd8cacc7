// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.FakeMemory;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Nodes whose cables and processors take the time of a {@link VirtualClock} that a seed decides:
 * each direction of a cable has a delay of its own, and keeps its order, and each node is so late
 * to see what has come. A node that is killed sends and takes nothing any more; its peers'
 * connections break some time later. One thread.
 */
final class VirtualNetwork {
  /** What a mesh needs to find out, where nothing but silence tells. */
  static final long MAX_VERDICT_NS = 1_300_000_000;

  static final long MAX_DELAY_NS = 2_000_000;
  static final long MAX_POLL_DELAY_NS = 1_000_000;

  private static final ArrayDeque<FakeMemory> FREE = new ArrayDeque<>();

  private final VirtualClock clock;
  private final List<FakeMemory> used = new ArrayList<>();
  private final Random random;
  private final long[] pollDelayNs;
  private final boolean[] isDead;
  private final List<VirtualEnd> ends = new ArrayList<>();

  /** Of all notices: the one that is lost; -1 for none. */
  private long lostNotice = -1;

  private long notices;

  VirtualNetwork(VirtualClock clock, int size, Random random) {
    this.clock = clock;
    this.random = random;
    isDead = new boolean[size];
    pollDelayNs = new long[size];
    for (int node = 0; node < size; node++) {
      pollDelayNs[node] = upTo(MAX_POLL_DELAY_NS);
    }
  }

  VirtualClock clock() {
    return clock;
  }

  /** Few are long: most are some thousandths of the longest. */
  long upTo(long maxNs) {
    return 1 + (long) (maxNs * Math.pow(random.nextDouble(), 4));
  }

  Random random() {
    return random;
  }

  boolean isDead(int node) {
    return isDead[node];
  }

  /** What no cable does: for tests that must notice it. */
  void loseNotice(long number) {
    lostNotice = number;
  }

  boolean isNoticeLost() {
    return notices++ == lostNotice;
  }

  /**
   * Of one node, with a poller of its own.
   *
   * @param onReady something has come, and the node has found the time to look
   */
  Transport transport(int node, Runnable onReady) {
    Poller poller = new VirtualPoller(this, node, onReady);
    return Fakes.of(
        Transport.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "newPoller" -> poller;
              case "allocate" -> allocate((long) arguments[0]);
              default -> throw new UnsupportedOperationException(method.toString());
            });
  }

  /** Of one thread: what control messages are received in is long, and taken for each link. */
  private FakeMemory allocate(long lengthBytes) {
    FakeMemory free = FREE.poll();
    boolean isFit = free != null && free.lengthBytes() == lengthBytes;
    FakeMemory memory = isFit ? free : new FakeMemory(lengthBytes);
    used.add(memory);
    return memory;
  }

  /** Others may use its memory. */
  void close() {
    FREE.addAll(used);
    used.clear();
  }

  /** Until a node looks at what has come. */
  long pollDelayNs(int node) {
    return pollDelayNs[node] / 2 + random.nextInt((int) pollDelayNs[node]);
  }

  /** A cable more between two nodes, as a connection of two ranks. */
  void connect(int node, LocalRank rank, int peer, LocalRank peerRank, int cable)
      throws TransportException {
    int requests = MemberLinks.REQUESTS - random.nextInt(2) * (MemberLinks.REQUESTS - 26);
    VirtualEnd one = new VirtualEnd(this, node, upTo(MAX_DELAY_NS), requests);
    VirtualEnd other = new VirtualEnd(this, peer, upTo(MAX_DELAY_NS), requests);
    one.joinTo(other);
    other.joinTo(one);
    ends.add(one);
    ends.add(other);
    join(rank, peerRank.membership().rank(), cable, one);
    join(peerRank, rank.membership().rank(), cable, other);
  }

  private static void join(LocalRank rank, int peer, int cable, VirtualEnd end)
      throws TransportException {
    rank.lock();
    try {
      rank.join(rank.links().number(peer, cable), end.connection());
    } finally {
      rank.unlock();
    }
  }

  /** From now on a node does nothing, and no other node notices. */
  void hang(int node) {
    isDead[node] = true;
  }

  /** From now on a node does nothing; each end that leads to it breaks some time later. */
  void kill(int node) {
    hang(node);
    for (VirtualEnd each : ends) {
      if (each.peerNode() == node) {
        clock.in(upTo(MAX_VERDICT_NS), each::breakDown);
      }
    }
  }
}
