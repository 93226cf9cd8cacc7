// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.TransportException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Connections of one rank that were lost, until it is known whether their ranks are: a mesh tells a
 * rank that is gone from a cable that is cut. With the rank's lock.
 */
final class LostLinks {
  /** How long a mesh may take to say whether a node is gone: longer than its verdicts do. */
  private static final long VERDICT_NS = 3_000_000_000L;

  private final GroupMembership membership;

  /** By rank. */
  private final Map<Integer, TransportException> lost = new TreeMap<>();

  private MemberVerdicts verdicts = MemberVerdicts.NONE;
  private boolean hasOverlay;
  private long lostAtNs;

  LostLinks(GroupMembership membership) {
    this.membership = membership;
  }

  /** What is known of a link that was lost. */
  record Decision(Failure failure, TransportException cause) {}

  /** Who can tell a rank that is gone from a cable that is. */
  void verdicts(MemberVerdicts newVerdicts, boolean isOverlaid) {
    verdicts = newVerdicts;
    hasOverlay = isOverlaid;
  }

  void add(int rank, TransportException why) {
    if (lost.isEmpty()) {
      lostAtNs = System.nanoTime();
    }
    lost.putIfAbsent(rank, why);
  }

  boolean isEmpty() {
    return lost.isEmpty();
  }

  /** Until all must be decided. */
  long leftNs() {
    return lost.isEmpty()
        ? Long.MAX_VALUE
        : Math.max(1, VERDICT_NS - (System.nanoTime() - lostAtNs));
  }

  /** Of the first that is decided; empty while none is. */
  Optional<Decision> decide() {
    return lost.entrySet().stream()
        .flatMap(each -> decide(each.getKey(), each.getValue()).stream())
        .findFirst();
  }

  private Optional<Decision> decide(int rank, TransportException why) {
    boolean isLate = System.nanoTime() - lostAtNs >= VERDICT_NS;
    MemberVerdicts.Verdict verdict = verdicts.of(rank);
    Failure failure = null;
    if (verdict == MemberVerdicts.Verdict.GONE) {
      String reports = membership.member(membership.rank()) + " reports: " + why.summary();
      failure =
          new Failure(Reason.RANK_LOST, rank, membership.member(rank) + " is lost, " + reports);
    } else if (isLate || verdict == MemberVerdicts.Verdict.CUT_OFF) {
      failure = cutOff(rank, why.summary());
    }
    return Optional.ofNullable(failure).map(each -> new Decision(each, why));
  }

  /** What it is that no cable leads to a neighbour any more; empty where a relay carries on. */
  Optional<Failure> cutOffWithoutRelay(int rank, String evidence) {
    return hasOverlay ? Optional.empty() : Optional.of(cutOff(rank, evidence));
  }

  private Failure cutOff(int rank, String evidence) {
    return new Failure(
        Reason.LINK_LOST,
        CollectiveException.NO_RANK,
        "No cable is left between "
            + membership.member(Math.min(rank, membership.rank()))
            + " and "
            + membership.member(Math.max(rank, membership.rank()))
            + ", both of which live: "
            + evidence.replaceFirst("[.]$", "")
            + ". Go on with rejoin, over the cables that are left.");
  }
}
