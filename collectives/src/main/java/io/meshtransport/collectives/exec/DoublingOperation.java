// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.Arrays;
import java.util.TreeSet;

/**
 * A {@link DoublingProgram} at one rank: sends its block, waits for the partner's, folds both, and
 * so on, round by round. What is under way to a partner stays as it is until that has it. Counts of
 * starts and arrivals run on over all runs: a partner may be one run ahead.
 */
final class DoublingOperation implements Operation {
  private final Links links;
  private final int operation;
  private final DoublingProgram program;
  private final Arithmetic arithmetic;
  private final Local local;
  private final Peers peers;

  /** By round. */
  private final int[] partners;

  private final int[] partnerLinks;
  private final boolean[] isLower;

  /** By round: runs whose block of the partner has come. */
  private final long[] arrived;

  /** By parity of the run: puts that have not ended, which use its slots. */
  private final int[] outstanding = new int[2];

  private long starts;

  /** The last run that this rank's own elements are in. */
  private long begun;

  private long finished;

  // Rounds of the run that was begun, and where this rank's block is.
  private int sent;
  private int folded;
  private Region block;
  private long blockAt;

  DoublingOperation(
      Links links,
      int operation,
      DoublingProgram program,
      int rank,
      Arithmetic arithmetic,
      Local local,
      Peers peers) {
    this.links = links;
    this.operation = operation;
    this.program = program;
    this.arithmetic = arithmetic;
    this.local = local;
    this.peers = peers;
    partners = program.partners().stream().mapToInt(each -> each[rank]).toArray();
    partnerLinks = Arrays.stream(partners).map(each -> links.link(each, 0)).toArray();
    isLower = program.isLower(rank);
    arrived = new long[partners.length];
  }

  @Override
  public void start() {
    starts++;
  }

  @Override
  public boolean isDone() {
    return finished == starts;
  }

  /** A partner is a run ahead at most: it has had what this rank gave for the one before. */
  @Override
  public boolean notice(int from, int kind, int count, int round) {
    boolean isExpected = kind == Notice.UP && round < partners.length && partners[round] == from;
    if (!isExpected || arrived[round] > starts) {
      return false;
    }
    arrived[round]++;
    return true;
  }

  @Override
  public void putDone(int round, int parity) {
    outstanding[parity]--;
  }

  @Override
  public void advance() {
    if (begun < starts && outstanding[(int) (starts & 1)] == 0) {
      begin();
    }
    boolean goesOn = begun == starts && finished < starts;
    while (goesOn) {
      goesOn = step() && finished < starts;
    }
  }

  private void begin() {
    begun = starts;
    sent = 0;
    folded = 0;
    moveTo(local.scratch(), program.ownAt(starts, 0, arithmetic));
    Arithmetic.copy(block, blockAt, local.from(), 0, bytes(0));
  }

  private void moveTo(Region region, long bytes) {
    block = region;
    blockAt = bytes;
  }

  /** Of a block before a round: at first elements as they are, then partial results. */
  private long bytes(int round) {
    int width = round == 0 ? arithmetic.elementBytes() : arithmetic.partialBytes();
    return (long) program.elements() * width;
  }

  private boolean step() {
    if (sent == folded) {
      return send();
    }
    if (arrived[folded] < starts) {
      return false;
    }
    fold();
    if (++folded == partners.length) {
      arithmetic.finish(local.to(), 0, block, blockAt, program.elements());
      finished = starts;
    }
    return true;
  }

  private boolean send() {
    int to = partners[sent];
    if (!links.canPut(partnerLinks[sent])) {
      return false;
    }
    if (program.elements() > 0) {
      links.add(
          block.memory(),
          block.at(blockAt),
          bytes(sent),
          peers.scratch()[to],
          program.theirsAt(starts, sent, arithmetic));
    }
    int parity = (int) (starts & 1);
    links.put(
        partnerLinks[sent],
        Notice.of(Notice.UP, 0, sent, operation),
        PutTag.of(operation, sent, parity));
    outstanding[parity]++;
    sent++;
    return true;
  }

  /** Into the partner's block where that comes first; else apart, as our own is under way. */
  private void fold() {
    Region scratch = local.scratch();
    boolean isRaw = folded == 0;
    long theirs = program.theirsAt(starts, folded, arithmetic);
    if (!isLower[folded] && !arithmetic.isWidening()) {
      arithmetic.fold(scratch, theirs, block, blockAt, isRaw, program.elements());
      moveTo(scratch, theirs);
      return;
    }
    boolean isResult = folded == partners.length - 1 && !arithmetic.isWidening();
    Region sum = isResult ? local.to() : scratch;
    long sumAt = isResult ? 0 : program.ownAt(starts, folded + 1, arithmetic);
    if (isLower[folded]) {
      arithmetic.begin(sum, sumAt, block, blockAt, isRaw, program.elements());
      arithmetic.fold(sum, sumAt, scratch, theirs, isRaw, program.elements());
    } else {
      arithmetic.begin(sum, sumAt, scratch, theirs, isRaw, program.elements());
      arithmetic.fold(sum, sumAt, block, blockAt, isRaw, program.elements());
    }
    moveTo(sum, sumAt);
  }

  @Override
  public void missing(TreeSet<Integer> ranks) {
    if (begun < starts) {
      Arrays.stream(partners).forEach(ranks::add);
    } else if (finished < starts) {
      ranks.add(partners[folded]);
    }
  }
}
