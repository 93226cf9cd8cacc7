// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.NicDescription;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What to do about members that keep a group waiting, where no finding has said it. Confined to the
 * thread that joins.
 */
final class JoinAdvice {
  /** What helps where nothing is known. */
  static final String ANYBODY = " Have the others join too, or allow more time.";

  private final Mesh mesh;
  private final SeenMembers members;
  private final SeenFindings findings;

  JoinAdvice(Mesh mesh, SeenMembers members, SeenFindings findings) {
    this.mesh = mesh;
    this.members = members;
    this.findings = findings;
  }

  /**
   * Sentences, each with a blank before it, or empty.
   *
   * @param nodes the others that the mesh knows now
   * @param awaited but this one
   * @param areNamed whether it is these that are awaited; else any others will do
   */
  String text(List<MeshNode> nodes, Collection<String> awaited, boolean areNamed) {
    Set<String> joining = new TreeSet<>();
    Set<String> leaving = new TreeSet<>();
    Set<String> away = new TreeSet<>();
    for (String each : awaited) {
      List<MeshNode> living = Namesakes.living(nodes, each);
      boolean isAlive = living.stream().anyMatch(one -> one.state() == MeshNodeState.ALIVE);
      if (!Namesakes.areSeveral(living) && !members.isThere(each)) {
        (!isAlive ? away : members.hasDeparted(each) ? leaving : joining).add(each);
      }
    }
    boolean isExplained = findings.hasReasonToBeAway() || !isolated(nodes).isEmpty();
    String text = "";
    if (!joining.isEmpty() && areNamed) {
      text += " Have %s join this group too.".formatted(joining);
    }
    if (!leaving.isEmpty()) {
      text += " Have %s join again, and wait for longer.".formatted(leaving);
    }
    if (!away.isEmpty() && areNamed && !isExplained) {
      text += " Start %s, or mend the cables that lead there.".formatted(away);
    }
    return text.isEmpty() && !isExplained ? ANYBODY : text;
  }

  /** That nothing is heard, and what to do, unless a finding says more; else empty. */
  String isolated(List<MeshNode> nodes) {
    if (findings.hasReasonToBeAway() || nodes.stream().anyMatch(each -> !each.state().isGone())) {
      return "";
    }
    List<String> dark =
        mesh.transport().nics().stream()
            .filter(each -> !each.hasCarrier())
            .map(NicDescription::netdev)
            .toList();
    return dark.isEmpty()
        ? " This node hears no other on any of its cables: start the others, or let firewalls pass the mesh's port by UDP and TCP."
        : " This node hears no other, and %s %s no carrier: plug the cable in, or start the others."
            .formatted(String.join(", ", dark), dark.size() == 1 ? "has" : "have");
  }
}
