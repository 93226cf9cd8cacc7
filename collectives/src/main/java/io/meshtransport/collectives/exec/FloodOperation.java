// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A {@link FloodProgram} at one rank. Counts of starts and arrivals run on over all runs: a rank
 * may be one run behind its neighbours, and forwards for them meanwhile. A message leaves once all
 * that it carries is there, with one notice, which names its first origin.
 */
final class FloodOperation implements Operation {
  private final Links links;
  private final int operation;
  private final FloodProgram program;
  private final int rank;
  private final Arithmetic arithmetic;
  private final Local local;
  private final Peers peers;
  private final long slotBytes;
  private final FloodMessage[] outgoing;

  /** By outgoing message: all to one neighbour go over one cable, in order. */
  private final int[] outgoingLinks;

  /** By sender and first origin: the origins of the message. */
  private final int[][][] incoming;

  /** By origin: runs whose elements are in its slot. */
  private final long[] arrived;

  /** By outgoing message: runs that were sent. */
  private final long[] sent;

  /** By parity of the run: puts that have not ended, which use its slots. */
  private final int[] outstanding = new int[2];

  private long starts;
  private long finished;

  FloodOperation(
      Links links,
      int operation,
      FloodProgram program,
      int rank,
      Arithmetic arithmetic,
      Local local,
      Peers peers) {
    this.links = links;
    this.operation = operation;
    this.program = program;
    this.rank = rank;
    this.arithmetic = arithmetic;
    this.local = local;
    this.peers = peers;
    slotBytes = (long) program.elements() * arithmetic.elementBytes();
    int size = program.size();
    arrived = new long[size];
    incoming = new int[size][size][];
    List<FloodMessage> mine = new ArrayList<>();
    for (FloodMessage each : FloodMessage.all(program.trees())) {
      if (each.from() == rank) {
        mine.add(each);
      } else if (each.to() == rank) {
        incoming[each.from()][each.origins()[0]] = each.origins();
      }
    }
    outgoing = mine.toArray(FloodMessage[]::new);
    outgoingLinks = mine.stream().mapToInt(each -> links.link(each.to(), 0)).toArray();
    sent = new long[outgoing.length];
  }

  @Override
  public void start() {
    starts++;
  }

  @Override
  public boolean isDone() {
    return finished == starts;
  }

  /** An origin is a run ahead at most: it has had what this rank gave for the one before. */
  @Override
  public boolean notice(int from, int kind, int count, int first) {
    int[] origins = first < incoming.length ? incoming[from][first] : null;
    if (kind != Notice.UP || origins == null || arrived[first] > starts) {
      return false;
    }
    for (int origin : origins) {
      arrived[origin]++;
    }
    return true;
  }

  @Override
  public void putDone(int stream, int parity) {
    outstanding[parity]--;
  }

  @Override
  public void advance() {
    if (arrived[rank] < starts && outstanding[(int) (starts & 1)] == 0) {
      Arithmetic.copy(
          local.scratch(), program.slotAt(starts, rank, arithmetic), local.from(), 0, slotBytes);
      arrived[rank] = starts;
    }
    if (sendAll() >= starts && finished < starts && arrivedOfAll() >= starts) {
      finish();
      finished = starts;
    }
  }

  /** Answers how many runs were sent to all. */
  private long sendAll() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < outgoing.length; i++) {
      FloodMessage message = outgoing[i];
      while (isThere(message, sent[i] + 1) && links.canPut(outgoingLinks[i])) {
        send(message, outgoingLinks[i], ++sent[i]);
      }
      least = Math.min(least, sent[i]);
    }
    return least;
  }

  private boolean isThere(FloodMessage message, long run) {
    for (int origin : message.origins()) {
      if (arrived[origin] < run) {
        return false;
      }
    }
    return true;
  }

  private long arrivedOfAll() {
    long least = Long.MAX_VALUE;
    for (long each : arrived) {
      least = Math.min(least, each);
    }
    return least;
  }

  /** Slots of origins one behind the other are one piece. */
  private void send(FloodMessage message, int link, long run) {
    int[] origins = message.origins();
    for (int first = 0, i = 1; slotBytes > 0 && first < origins.length; i++) {
      if (i == origins.length || origins[i] != origins[i - 1] + 1) {
        addSlots(message.to(), run, origins[first], origins[i - 1]);
        first = i;
      }
    }
    int parity = (int) (run & 1);
    links.put(
        link,
        Notice.of(Notice.UP, 0, origins[0], operation),
        PutTag.of(operation, origins[0], parity));
    outstanding[parity]++;
  }

  private void addSlots(int to, long run, int first, int last) {
    long at = program.slotAt(run, first, arithmetic);
    long lengthBytes = program.slotAt(run, last, arithmetic) - at + slotBytes;
    links.add(
        local.scratch().memory(), local.scratch().at(at), lengthBytes, peers.scratch()[to], at);
  }

  private void finish() {
    switch (program.ending()) {
      case REDUCE -> reduce();
      case GATHER -> gather();
    }
  }

  private void gather() {
    for (int origin = 0; origin < arrived.length; origin++) {
      long at = program.slotAt(starts, origin, arithmetic);
      Arithmetic.copy(local.to(), origin * slotBytes, local.scratch(), at, slotBytes);
    }
  }

  /** In the order of ranks, as the root of a star does it, so that the bits are the same. */
  private void reduce() {
    if (slotBytes == 0) {
      return;
    }
    boolean isApart = arithmetic.isWidening();
    Region sum = isApart ? local.scratch() : local.to();
    long sumAt = isApart ? program.partialsAt(arithmetic) : 0;
    int count = program.elements();
    for (int origin = 0; origin < arrived.length; origin++) {
      long at = program.slotAt(starts, origin, arithmetic);
      if (origin == 0) {
        arithmetic.begin(sum, sumAt, local.scratch(), at, true, count);
      } else {
        arithmetic.fold(sum, sumAt, local.scratch(), at, true, count);
      }
    }
    arithmetic.finish(local.to(), 0, sum, sumAt, count);
  }

  @Override
  public void missing(TreeSet<Integer> ranks) {
    for (int from = 0; from < incoming.length; from++) {
      for (int first = 0; first < incoming.length; first++) {
        if (incoming[from][first] != null && arrived[first] < starts) {
          ranks.add(from);
        }
      }
    }
    for (int i = 0; i < outgoing.length; i++) {
      boolean isUnsent = sent[i] < starts && isThere(outgoing[i], sent[i] + 1);
      if (arrived[rank] < starts || isUnsent) {
        ranks.add(outgoing[i].to());
      }
    }
  }
}
