// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.TreeSet;

/**
 * The rounds in which all ranks of a group give each other a record, as one of them has them. With
 * the rank's lock.
 */
final class RecordRounds implements LocalRank.Goal {
  private final LocalRank member;
  private final GroupMembership membership;
  private final Records records;

  RecordRounds(LocalRank member) {
    this.member = member;
    this.membership = member.membership();
    records = new Records(membership.size());
  }

  Records records() {
    return records;
  }

  /**
   * Gives all ranks this rank's record of the next round, and waits for theirs.
   *
   * @param what this rank is about, for texts
   */
  byte[][] exchange(RoundKind kind, byte[] mine, String what, long timeoutNs)
      throws CollectiveException {
    member.check();
    tell(kind, mine);
    if (!await(what, timeoutNs)) {
      TreeSet<Integer> missing = records.missing();
      throw failed(
          new Failure(
              Reason.TIMED_OUT,
              missing.first(),
              kind.isOfJoining() ? tooLateToJoin(missing) : inVain(what, missing)));
    }
    return end();
  }

  private String inVain(String what, TreeSet<Integer> missing) {
    return "%s waited in vain for %s to do the same: %s. Every member must do it, in the same order."
        .formatted(membership.member(membership.rank()), membership.members(missing), what);
  }

  /** Each member has its own time, and the first whose time is over ends the join of all. */
  private String tooLateToJoin(TreeSet<Integer> missing) {
    return "the time that %s allows for joining was over when all had come, but %s had not connected or measured all cables. Allow more time, or start the members closer together."
        .formatted(membership.member(membership.rank()), membership.members(missing));
  }

  /** Gives all ranks this rank's record of the next round. */
  void tell(RoundKind kind, byte[] mine) {
    byte[] body = ByteBuffer.allocate(1 + mine.length).put((byte) kind.ordinal()).put(mine).array();
    RankMessage message =
        new RankMessage(RankMessage.Kind.RECORD, membership.rank(), records.round(), body);
    records.add(message);
    member.flood(message, -1);
  }

  /** A rank that stops waiting has told the others already, and would be a round behind them. */
  private boolean await(String what, long timeoutNs) throws CollectiveException {
    try {
      return member.await(this, timeoutNs);
    } catch (CollectiveException e) {
      member.fail(
          new Failure(
              Reason.ABORTED,
              membership.rank(),
              membership.member(membership.rank()) + " gave up " + what + ": " + e.getMessage()));
      throw LocalRank.withConsequence(
          e,
          "The group has failed with it on every rank, since no rank can do this without the others: "
              + what
              + ".");
    }
  }

  /** A rank says goodbye behind its records: one that has not told will not. */
  @Override
  public boolean advance() {
    TreeSet<Integer> missing = records.missing();
    missing.forEach(member::failIfLeft);
    return missing.isEmpty();
  }

  @Override
  public long leftNs() {
    return Long.MAX_VALUE;
  }

  /**
   * The records of a round that is complete.
   *
   * @throws CollectiveException MISMATCH, with the same text on all ranks, if they do not all do
   *     the same
   */
  byte[][] end() throws CollectiveException {
    byte[][] all = records.end();
    for (int rank = 0; rank < all.length; rank++) {
      String first = RoundKind.text(all[0]);
      String text = RoundKind.text(all[rank]);
      if (!text.equals(first)) {
        throw failed(
            new Failure(
                Reason.MISMATCH,
                rank,
                "%s %s, and %s %s. Every member must do the same, in the same order."
                    .formatted(membership.member(0), first, membership.member(rank), text)));
      }
    }
    return Arrays.stream(all)
        .map(each -> Arrays.copyOfRange(each, 1, each.length))
        .toArray(byte[][]::new);
  }

  /** What to throw for a record that its rank's program cannot have meant; fails the group. */
  CollectiveException refused(int rank) throws CollectiveException {
    return failed(
        new Failure(
            Reason.MISMATCH,
            rank,
            membership.member(rank)
                + " sent a record that is none of this version. Give all members the same version."));
  }

  /** Throws what failed the group first; with closing, that. */
  private CollectiveException failed(Failure why) throws CollectiveException {
    member.fail(why);
    member.check();
    throw new IllegalStateException("a group that has failed");
  }
}
