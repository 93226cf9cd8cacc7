// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.TransportException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * One {@link VirtualCase} in virtual time, of which another seed says how long everything takes:
 * its ranks enter, one of them ten seconds late in some, and run their operations. One of them may
 * be killed; the others go on without it. One thread, used once.
 */
final class VirtualGroup {
  static final long NEVER = Long.MAX_VALUE;
  private static final long MAX_ENTRY_NS = 50_000_000;
  private static final long LATE_NS = 10_000_000_000L;
  private static final long MAX_CONNECT_NS = 5_000_000;
  private static final long MAX_REACTION_NS = 50_000_000;
  private static final long MAX_EVENTS = 2_000_000;

  /** A hop of the flood of a failure, with what waits before it. */
  private static final long MAX_HOP_NS =
      4 * (VirtualNetwork.MAX_DELAY_NS + VirtualNetwork.MAX_POLL_DELAY_NS);

  private final String text;
  private final RandomGraph cables;
  private final VirtualClock clock = new VirtualClock();
  private final VirtualNetwork network;
  private final List<VirtualEpoch> epochs = new ArrayList<>();

  /** By epoch and rank; null for one that has not entered. */
  private final List<VirtualRank[]> ranks = new ArrayList<>();

  private final boolean hasMesh;
  private final long[] verdictAtNs;
  private final long[] enterAtNs;
  private long killAtNs;

  /**
   * @param timing of all times
   */
  VirtualGroup(VirtualCase one, long timing) {
    cables = one.cables();
    text = "%s, timing %d".formatted(one, timing);
    for (VirtualCase.Part each : one.parts()) {
      epochs.add(new VirtualEpoch(each));
      ranks.add(new VirtualRank[each.nodes().size()]);
    }

    Random times = new Random((one.seed() + 1) * VirtualCase.MIX + timing);
    network = new VirtualNetwork(clock, cables.size, times);
    hasMesh = times.nextBoolean();
    verdictAtNs = times.longs(cables.size, 0, VirtualNetwork.MAX_VERDICT_NS).toArray();
    enterAtNs = times.longs(cables.size, 0, MAX_ENTRY_NS).toArray();
    if (times.nextInt(4) == 0) {
      enterAtNs[times.nextInt(cables.size)] += LATE_NS;
    }
  }

  /** When all ranks have met. */
  long metAtNs() {
    return Arrays.stream(enterAtNs).max().orElseThrow() + 2 * MAX_CONNECT_NS;
  }

  VirtualNetwork network() {
    return network;
  }

  /**
   * Everything that happens, until nothing does any more; checks that it went as promised. Answers
   * when it was over.
   *
   * @param newKillAtNs when the victim is killed
   */
  long run(long newKillAtNs) {
    killAtNs = newKillAtNs;
    enterAll();
    if (killAtNs != NEVER) {
      clock.in(killAtNs, () -> network.kill(cables.victim));
    }
    clock.run(MAX_EVENTS);
    network.close();
    for (VirtualRank each : ranks.get(killAtNs == NEVER ? 0 : 1)) {
      if (each == null || each.state() != VirtualRank.State.DONE) {
        throw new AssertionError(this + " hangs: " + ranks.stream().map(Arrays::toString).toList());
      }
    }
    if (killAtNs != NEVER) {
      requireFailures();
    }
    return clock.nowNs();
  }

  private void enterAll() {
    for (int node = 0; node < cables.size; node++) {
      int self = node;
      clock.in(enterAtNs[node], () -> enter(0, self));
    }
  }

  /**
   * As {@link #run}, but the victim hangs, which no connection shows. Once nothing happens any
   * more, the ranks that wait in a run report that. Answers whom each of them waits for.
   *
   * @param hangAtNs when it begins to hang
   */
  List<Stragglers> hang(long hangAtNs) {
    killAtNs = NEVER;
    enterAll();
    clock.in(hangAtNs, () -> network.hang(cables.victim));
    clock.run(MAX_EVENTS);
    List<VirtualRank> waiting =
        Arrays.stream(ranks.get(0))
            .filter(each -> each.node() != cables.victim)
            .filter(each -> each.state() == VirtualRank.State.RUNNING)
            .toList();
    waiting.forEach(VirtualRank::report);
    clock.run(MAX_EVENTS);
    network.close();
    return waiting.stream().map(each -> each.stragglers()).toList();
  }

  /** Of the first group. */
  int victim() {
    return cables.victim;
  }

  private void requireFailures() {
    for (VirtualRank each : ranks.get(0)) {
      if (each.node() == cables.victim) {
        continue;
      }
      boolean isTrue =
          each.failure() != null
              && each.failure().reason() == Reason.RANK_LOST
              && each.failure().rank() == cables.victim;
      long tookNs = each.failedAtNs() - killAtNs;
      if (!isTrue || tookNs > VirtualNetwork.MAX_VERDICT_NS + cables.size * MAX_HOP_NS) {
        throw new AssertionError(
            this + ": " + each + " failed after " + tookNs + " ns", each.failure());
      }
    }
  }

  private void enter(int number, int node) {
    VirtualEpoch epoch = epochs.get(number);
    int rank = epoch.nodes().indexOf(node);
    VirtualRank entered =
        new VirtualRank(
            epoch,
            network,
            rank,
            () -> clock.in(network.upTo(MAX_REACTION_NS), () -> enter(number + 1, node)));
    if (number == 0 && hasMesh) {
      watch(entered.member(), node);
    }
    ranks.get(number)[rank] = entered;
    for (int other = 0; other < epoch.size(); other++) {
      VirtualRank peer = ranks.get(number)[other];
      int[] between = epoch.graph().cables(rank, other);
      if (peer != null && between.length > 0) {
        clock.in(network.upTo(MAX_CONNECT_NS), () -> connect(entered, peer, between));
      }
    }
  }

  /** All at once: groups connect over further cables once all have joined. */
  private void connect(VirtualRank one, VirtualRank other, int[] between) {
    try {
      for (int cable : between) {
        network.connect(one.node(), one.member(), other.node(), other.member(), cable);
      }
    } catch (TransportException e) {
      throw new AssertionError(e);
    }
  }

  /** A mesh says that a node is gone before its connections break, or after. */
  private void watch(LocalRank member, int node) {
    member.lock();
    try {
      member.verdicts(
          rank ->
              killAtNs != NEVER
                      && rank == cables.victim
                      && clock.nowNs() >= killAtNs + verdictAtNs[node]
                  ? MemberVerdicts.Verdict.GONE
                  : MemberVerdicts.Verdict.UNDECIDED,
          false);
    } finally {
      member.unlock();
    }
    if (killAtNs != NEVER) {
      clock.in(killAtNs + verdictAtNs[node] - clock.nowNs(), () -> decide(node));
    }
  }

  private void decide(int node) {
    VirtualRank rank = ranks.get(0)[node];
    if (!network.isDead(node)) {
      rank.member().decide();
      rank.turn();
    }
  }

  /** The results of all operations of the first group, and of the one without the victim. */
  List<byte[][]> results() {
    return epochs.stream().map(VirtualEpoch::results).toList();
  }

  /** The same for the same seeds. */
  long trace() {
    return clock.trace();
  }

  @Override
  public String toString() {
    return killAtNs == NEVER ? text : text + ", node " + cables.victim + " killed at " + killAtNs;
  }
}
