// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.TreeSet;

/**
 * An {@link OrderedProgram} at one rank: when all of its block has come, and all that others need
 * has gone, it reduces the block, and the streams of results begin. So results may be written to
 * where inputs were.
 */
final class OrderedOperation implements Operation {
  private final OrderedProgram program;
  private final int rank;
  private final Arithmetic arithmetic;
  private final Local local;

  /** By index; null for streams that this rank has no part in. */
  private final TreeStream[] streams;

  private long starts;
  private long reduced;

  OrderedOperation(
      Links links,
      int operation,
      OrderedProgram program,
      int rank,
      Arithmetic arithmetic,
      Local local,
      Peers peers) {
    this.program = program;
    this.rank = rank;
    this.arithmetic = arithmetic;
    this.local = local;
    TreeProgram trees = program.trees();
    Region scratch = local.scratch();
    Region operands =
        new Region(
            scratch.memory(),
            scratch.at(program.operandsAt(rank, arithmetic)),
            program.slotAt(program.size(), arithmetic));
    Local inputs = new Local(local.from(), operands, scratch);
    boolean isElsewhere = program.ending() == OrderedProgram.Ending.TO_ROOT;
    Local results = new Local(isElsewhere ? operands : local.to(), local.to(), scratch);
    streams = new TreeStream[trees.streams().size()];
    for (int i = 0; i < streams.length; i++) {
      if (trees.streams().get(i).has(rank)) {
        Local each = i < program.inputs() ? inputs : results;
        streams[i] = new TreeStream(links, operation, i, trees, rank, arithmetic, each, peers);
      }
    }
  }

  @Override
  public void start() {
    starts++;
    start(0, program.inputs());
  }

  private void start(int from, int until) {
    for (int i = from; i < until; i++) {
      if (streams[i] != null) {
        streams[i].start();
      }
    }
  }

  @Override
  public boolean isDone() {
    return reduced == starts && isDone(streams.length);
  }

  private boolean isDone(int until) {
    for (int i = 0; i < until; i++) {
      if (streams[i] != null && !streams[i].isDone()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean notice(int from, int kind, int count, int stream) {
    return stream < streams.length
        && streams[stream] != null
        && streams[stream].notice(from, kind, count);
  }

  @Override
  public void putDone(int stream, int way) {
    streams[stream].putDone(way);
  }

  @Override
  public void advance() {
    advance(0, program.inputs());
    if (reduced < starts && isDone(program.inputs())) {
      reduce();
      reduced = starts;
      start(program.inputs(), streams.length);
    }
    advance(program.inputs(), streams.length);
  }

  private void advance(int from, int until) {
    for (int i = from; i < until; i++) {
      if (streams[i] != null) {
        streams[i].advance();
      }
    }
  }

  /** This rank's own elements join those of the others; then all are reduced, from rank 0 on. */
  private void reduce() {
    Region scratch = local.scratch();
    long operands = program.operandsAt(rank, arithmetic);
    int count = program.elements(rank);
    long lengthBytes = (long) count * arithmetic.elementBytes();
    long own = operands + program.slotAt(rank, arithmetic);
    Arithmetic.copy(scratch, own, local.from(), program.blockAt(rank, arithmetic), lengthBytes);
    long sum = arithmetic.isWidening() ? program.partialsAt(rank, arithmetic) : operands;
    arithmetic.begin(scratch, sum, scratch, operands, true, count);
    for (int origin = 1; origin < program.size(); origin++) {
      long operand = operands + program.slotAt(origin, arithmetic);
      arithmetic.fold(scratch, sum, scratch, operand, true, count);
    }
    switch (program.ending()) {
      case TO_ALL ->
          arithmetic.finish(local.to(), program.blockAt(rank, arithmetic), scratch, sum, count);
      case TO_ROOT -> arithmetic.finish(scratch, operands, scratch, sum, count);
      case STAYS -> arithmetic.finish(local.to(), 0, scratch, sum, count);
    }
  }

  @Override
  public void missing(TreeSet<Integer> ranks) {
    for (TreeStream each : streams) {
      if (each != null) {
        each.missing(ranks);
      }
    }
  }
}
