// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.Peer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells a member what its mesh notices of the others: a node that is gone, a cable that is cut. A
 * connection that is lost says neither. Its events come on the mesh's thread.
 */
final class CableWatch implements MemberVerdicts, MeshEventListener, AutoCloseable {
  private final MeshRendezvous mesh;
  private final LocalRank member;

  /** By rank: the neighbours, and of those the ones whose cable to here is cut, with evidence. */
  private final Map<Integer, Peer> neighbours;

  private final Map<Integer, String> cut = new ConcurrentHashMap<>();
  private final Mesh.Subscription subscription;

  /**
   * @param neighbours by rank: who is at the other end of each connection
   */
  CableWatch(MeshRendezvous mesh, LocalRank member, Map<Integer, Peer> neighbours) {
    this.mesh = mesh;
    this.member = member;
    this.neighbours = Map.copyOf(neighbours);
    subscription = mesh.mesh().subscribe(this);
  }

  @Override
  public Verdict of(int rank) {
    Peer peer = neighbours.get(rank);
    for (MeshNode each : mesh.mesh().nodes()) {
      if (peer != null && each.peer().id().equals(peer.id())) {
        boolean isCutOff = !each.state().isGone() && cut.containsKey(rank) && !isCabled(peer);
        return each.state().isGone()
            ? Verdict.GONE
            : isCutOff ? Verdict.CUT_OFF : Verdict.UNDECIDED;
      }
    }
    return Verdict.GONE;
  }

  private boolean isCabled(Peer peer) {
    Peer self = mesh.mesh().self().peer();
    return mesh.mesh().links().stream()
        .anyMatch(
            each ->
                each.one().equals(peer) && each.other().equals(self)
                    || each.other().equals(peer) && each.one().equals(self));
  }

  @Override
  public void linkCut(Peer peer, String evidence) {
    neighbours.forEach(
        (rank, each) -> {
          if (each.id().equals(peer.id())) {
            cut.put(rank, evidence);
          }
        });
    tell();
  }

  @Override
  public void linkUp(MeshLink link) {
    Peer self = mesh.mesh().self().peer();
    if (link.one().equals(self) || link.other().equals(self)) {
      Peer peer = link.one().equals(self) ? link.other() : link.one();
      neighbours.forEach(
          (rank, each) -> {
            if (each.id().equals(peer.id())) {
              cut.remove(rank);
            }
          });
    }
  }

  @Override
  public void linkDown(MeshLink link) {
    tell();
  }

  @Override
  public void verdict(MeshNode node) {
    tell();
  }

  @Override
  public void nodeRemoved(MeshNode node) {
    tell();
  }

  /** Which of the neighbours that live no cable leads to any more. */
  private void tell() {
    cut.forEach(
        (rank, evidence) -> {
          if (of(rank) == Verdict.CUT_OFF) {
            member.cutOff(rank, evidence);
          }
        });
    member.decide();
  }

  @Override
  public void close() {
    subscription.close();
  }
}
