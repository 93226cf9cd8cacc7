// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which life of its node each member of a group is, by the id of the node. A group that goes on is
 * of the same lives: a process that is started again has another id, and another group to join. A
 * value; what the mesh says of the lives is read at each call. Any thread.
 *
 * @param mesh what it says of them; none where members are not found by one
 * @param ids by rank: one, or all that a node of the member's name had when the group was joined;
 *     empty for this member
 */
record MemberLives(Optional<EndedLives> mesh, List<Set<String>> ids) {
  /** Of a group that is joined for the first time: it is of whichever lives come. */
  static final MemberLives ANY = new MemberLives(Optional.empty(), List.of());

  /**
   * Those of a group that all members have joined; to be closed with it.
   *
   * @param neighbours by rank: who is at the other end of each connection
   */
  static MemberLives of(
      Optional<MeshRendezvous> mesh, GroupMembership membership, Map<Integer, Peer> neighbours) {
    List<Set<String>> ids = new ArrayList<>();
    List<MeshNode> nodes = mesh.map(each -> each.mesh().nodes()).orElse(List.of());
    for (int rank = 0; rank < membership.size(); rank++) {
      String name = membership.names().get(rank);
      if (neighbours.containsKey(rank)) {
        ids.add(Set.of(neighbours.get(rank).id()));
      } else if (rank == membership.rank()) {
        ids.add(Set.of());
      } else {
        ids.add(
            nodes.stream()
                .map(MeshNode::peer)
                .filter(each -> each.name().equals(name))
                .map(Peer::id)
                .collect(Collectors.toSet()));
      }
    }
    Set<String> all = ids.stream().flatMap(Set::stream).collect(Collectors.toSet());
    return new MemberLives(mesh.map(each -> new EndedLives(each.mesh(), all)), ids);
  }

  /** Those of some of the ranks, in their order. */
  MemberLives of(List<Integer> ranks) {
    return ids.isEmpty() ? this : new MemberLives(mesh, ranks.stream().map(ids::get).toList());
  }

  /**
   * Why the members cannot all come any more; empty while they may. A node that is silent, stuck or
   * out of reach may: cables come back. So may one that the mesh has forgotten for its silence.
   *
   * @param membership of the group that they join
   */
  Optional<Failure> over(GroupMembership membership) {
    if (mesh.isEmpty()) {
      return Optional.empty();
    }
    Map<String, MeshNode> nodes = mesh.get().nodes();
    TreeSet<Integer> gone = new TreeSet<>();
    StringBuilder verdicts = new StringBuilder();
    for (int rank = 0; rank < ids.size(); rank++) {
      Set<String> lives = ids.get(rank);
      List<MeshNode> known = lives.stream().filter(nodes::containsKey).map(nodes::get).toList();
      if (!known.isEmpty() && known.stream().allMatch(EndedLives::hasEnded)) {
        gone.add(rank);
        verdicts.append(' ').append(MemberNews.verdict(MeshNode.latest(known)));
      }
    }
    return gone.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Failure(
                Reason.RANK_LOST,
                gone.first(),
                "%s: %s cannot come back into it.%s Join a new group of those that live (Group.join)."
                    .formatted(membership.spec(), membership.members(gone), verdicts)));
  }

  void close() {
    mesh.ifPresent(EndedLives::close);
  }
}
