// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.TreeSet;

/**
 * A {@link FloodProgram} at one rank. Counts of starts and arrivals run on over all runs: a rank
 * may be one run behind its neighbours, and forwards for them meanwhile.
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
  private final int[] parents;
  private final int[][] children;

  /** By origin: runs whose elements are in its slot. */
  private final long[] arrived;

  /** By origin and child: runs that were forwarded. */
  private final long[][] sent;

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
    parents = new int[size];
    children = new int[size][];
    sent = new long[size][];
    arrived = new long[size];
    for (int origin = 0; origin < size; origin++) {
      children[origin] =
          new StreamPlan(program.trees().get(origin), false, true, -1, 0, 0, 0).children(rank);
      sent[origin] = new long[children[origin].length];
      parents[origin] = program.trees().get(origin)[rank];
    }
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
  public boolean notice(int from, int kind, int count, int origin) {
    if (kind != Notice.UP
        || origin >= parents.length
        || parents[origin] != from
        || arrived[origin] > starts) {
      return false;
    }
    arrived[origin]++;
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
    boolean isComplete = true;
    for (int origin = 0; origin < arrived.length; origin++) {
      isComplete &= forward(origin) >= starts;
    }
    if (isComplete && finished < starts) {
      finish();
      finished = starts;
    }
  }

  /** Answers how many runs have arrived and were forwarded to all. */
  private long forward(int origin) {
    long until = arrived[origin];
    for (int i = 0; i < children[origin].length; i++) {
      while (sent[origin][i] < arrived[origin] && links.canPut(children[origin][i])) {
        send(origin, children[origin][i], ++sent[origin][i]);
      }
      until = Math.min(until, sent[origin][i]);
    }
    return until;
  }

  private void send(int origin, int to, long run) {
    int parity = (int) (run & 1);
    long at = program.slotAt(run, origin, arithmetic);
    int notice = Notice.of(Notice.UP, 0, origin, operation);
    long tag = PutTag.of(operation, origin, parity);
    if (slotBytes == 0) {
      links.notify(to, notice, tag);
    } else {
      links.put(
          to,
          local.scratch().memory(),
          local.scratch().at(at),
          slotBytes,
          peers.scratch()[to],
          at,
          notice,
          tag);
    }
    outstanding[parity]++;
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
    for (int origin = 0; origin < arrived.length; origin++) {
      if (arrived[origin] < starts) {
        ranks.add(origin);
      }
    }
  }
}
