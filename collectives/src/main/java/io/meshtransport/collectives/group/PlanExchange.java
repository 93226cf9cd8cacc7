// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.MeasuredRates;
import io.meshtransport.collectives.plan.PlanFile;
import io.meshtransport.collectives.plan.Planner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Rank 0 plans for all, so that no two ranks can plan differently, and tells the others by records:
 * the length of the plan, then as many parts as it takes.
 */
final class PlanExchange {
  private static final int PART_BYTES = 24 << 10;

  /** Where a link says nothing of its rate: all alike, as of 10 Gb/s. */
  private static final long UNKNOWN_BYTES_PER_SECOND = 1_250_000_000L;

  /** Where none says anything of its latency: a notice in software. */
  private static final long UNKNOWN_LATENCY_NS = 16_384;

  private PlanExchange() {}

  /** What all ranks agree on: the plan, and the links that it is carried out over. */
  record Agreed(CollectivePlan plan, JoinedGraph graph) {}

  /**
   * @param pinned the file with the plan of rank 0, in place of one made of what links measure
   */
  static Agreed agree(GroupJoin.Joined joined, Optional<Path> pinned, Deadline deadline)
      throws CollectiveException {
    LocalRank member = joined.member();
    member.lock();
    try {
      List<JoinedGraph.Link> links = measured(joined, deadline);
      byte[] encoded =
          member.membership().rank() == 0
              ? plan(links, member.membership(), joined.isOversubscribed(), pinned)
              : new byte[0];
      return new Agreed(
          CollectivePlan.decoded(share(member, encoded, deadline)),
          new JoinedGraph(member.membership().size(), links));
    } catch (IllegalArgumentException e) {
      member.fail(
          new Failure(
              Reason.RESOURCES,
              CollectiveException.NO_RANK,
              member.membership().spec() + ": " + e.getMessage()));
      member.check();
      throw new IllegalStateException(e);
    } finally {
      member.unlock();
    }
  }

  /**
   * With the member's lock: gives all ranks what rank 0 has.
   *
   * @param encoded nothing on other ranks
   */
  static byte[] share(LocalRank member, byte[] encoded, Deadline deadline)
      throws CollectiveException {
    byte[] length = ByteBuffer.allocate(Integer.BYTES).putInt(encoded.length).array();
    byte[] theirs = round(member, length, deadline);
    int total = theirs.length == length.length ? ByteBuffer.wrap(theirs).getInt() : 0;
    if (total < 1 || total > CollectivePlan.MAX_ENCODED_BYTES) {
      throw member.rounds().refused(0);
    }
    ByteArrayOutputStream parts = new ByteArrayOutputStream();
    while (parts.size() < total) {
      int end = Math.min(encoded.length, parts.size() + PART_BYTES);
      byte[] mine = encoded.length == 0 ? encoded : Arrays.copyOfRange(encoded, parts.size(), end);
      byte[] part = round(member, mine, deadline);
      if (part.length == 0 || part.length > total - parts.size()) {
        throw member.rounds().refused(0);
      }
      parts.writeBytes(part);
    }
    return parts.toByteArray();
  }

  private static byte[] round(LocalRank member, byte[] mine, Deadline deadline)
      throws CollectiveException {
    long leftNs = Math.max(0, deadline.leftNs());
    return member.rounds().exchange(RoundKind.PLAN, mine, "joining the group", leftNs)[0];
  }

  private static List<JoinedGraph.Link> measured(GroupJoin.Joined joined, Deadline deadline)
      throws CollectiveException {
    LocalRank member = joined.member();
    byte[] mine = JoinedGraph.encode(new LinkProbe(member, joined.graph()).measure(deadline));
    long leftNs = Math.max(0, deadline.leftNs());
    byte[][] all = member.rounds().exchange(RoundKind.MEASURE, mine, "joining the group", leftNs);
    List<List<JoinedGraph.Link>> measured = new ArrayList<>();
    for (int rank = 0; rank < all.length; rank++) {
      Optional<List<JoinedGraph.Link>> links =
          JoinedGraph.decode(ByteBuffer.wrap(all[rank]), all.length);
      if (links.isEmpty()) {
        throw member.rounds().refused(rank);
      }
      measured.add(links.get());
    }
    return MeasuredLinks.of(joined.graph().links(), measured);
  }

  /**
   * @param isOversubscribed as {@link Planner#plan} has it
   * @throws IllegalArgumentException if the links do not join all, or the pinned plan is of another
   *     graph
   */
  static byte[] plan(
      List<JoinedGraph.Link> measured,
      GroupMembership members,
      boolean isOversubscribed,
      Optional<Path> pinned) {
    if (pinned.isPresent()) {
      return read(pinned.get(), measured, members);
    }
    LinkGraph graph = MeasuredRates.planned(graph(MeasuredLinks.equalised(measured), members));
    return Planner.plan(graph, Planner.FOLD_BYTES_PER_SECOND, isOversubscribed).encoded();
  }

  /** The links with the numbers that they have, or what is taken for them where none has any. */
  static LinkGraph graph(List<JoinedGraph.Link> measured, GroupMembership members) {
    boolean isTimed = measured.stream().anyMatch(each -> each.latencyNs() > 0);
    List<GraphLink> links =
        measured.stream()
            .map(
                each ->
                    new GraphLink(
                        each.one(),
                        each.other(),
                        each.bytesPerSecond() > 0
                            ? each.bytesPerSecond()
                            : UNKNOWN_BYTES_PER_SECOND,
                        isTimed ? each.latencyNs() : UNKNOWN_LATENCY_NS))
            .toList();
    return new LinkGraph(members.names(), links);
  }

  private static byte[] read(Path file, List<JoinedGraph.Link> measured, GroupMembership members) {
    CollectivePlan plan;
    try {
      plan = PlanFile.read(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("MESH_PLAN: " + file + " cannot be read: " + e, e);
    }
    LinkGraph graph = plan.graph();
    boolean isOfUs =
        graph.names().equals(members.names())
            && graph.links().stream()
                .allMatch(
                    each ->
                        measured.stream()
                            .anyMatch(
                                link -> link.one() == each.one() && link.other() == each.other()));
    if (!isOfUs) {
      throw new IllegalArgumentException(
          "MESH_PLAN: "
              + file
              + " is a plan for "
              + graph.names()
              + " with "
              + graph.links().size()
              + " links, not all of which this group of "
              + members.names()
              + " has. Make one for it, or leave it out");
    }
    return plan.encoded();
  }
}
