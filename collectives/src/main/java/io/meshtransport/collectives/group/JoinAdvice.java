// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.Setting;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.NicDescription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What to do about members that keep a group waiting, where no finding has said it. Confined to the
 * thread that joins.
 */
final class JoinAdvice {
  /** What helps where nothing is known. */
  static final String ANYBODY = " Have the others join too, or allow more time.";

  /** The default one, since a mesh does not say which it has. */
  private static final String PORT =
      "UDP and TCP port %d (%s sets another, the same on all nodes)"
          .formatted(MeshConfig.defaults().neighbourPort(), Setting.NEIGHBOUR_PORT.name());

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
    Set<String> joining = new LinkedHashSet<>();
    Set<String> leaving = new LinkedHashSet<>();
    Set<String> away = new LinkedHashSet<>();
    for (String each : awaited) {
      List<MeshNode> living = Namesakes.living(nodes, each);
      boolean isAlive = living.stream().anyMatch(one -> one.state() == MeshNodeState.ALIVE);
      if (!Namesakes.areSeveral(living) && !members.isThere(each)) {
        (hasGivenUp(nodes, each) ? leaving : isAlive ? joining : away).add(each);
      }
    }
    leaving.removeAll(findings.subjects(SeenFindings.DUPLICATE_NAME));
    boolean isExplained = findings.hasReasonToBeAway() || !isolated(nodes).isEmpty();
    String text = areNamed || isExplained ? "" : ANYBODY;
    if (!joining.isEmpty() && areNamed) {
      text += " Have %s join this group too.".formatted(joining);
    }
    if (!away.isEmpty() && areNamed && !isExplained) {
      text += " Start %s, or mend the cables that lead there.".formatted(away);
    }
    if (!leaving.isEmpty()) {
      text += " Have %s join again, and wait for longer.".formatted(leaving);
    }
    return text.isEmpty() && !isExplained ? ANYBODY : text;
  }

  /**
   * Whether a member came, and is not there any more without a verdict that something has happened
   * to it: probably it has waited in vain, for another.
   *
   * @param nodes the others that the mesh knows now
   */
  boolean hasGivenUp(List<MeshNode> nodes, String name) {
    List<MeshNodeState> lives =
        nodes.stream()
            .filter(each -> each.peer().name().equals(name))
            .map(MeshNode::state)
            .toList();
    return members.hasDeparted(name)
        && (lives.contains(MeshNodeState.ALIVE)
            || lives.stream().allMatch(MeshNodeState.LEFT::equals));
  }

  /** That nothing is heard, and what to do, unless a finding says more; else empty. */
  String isolated(List<MeshNode> nodes) {
    boolean isHeard = nodes.stream().anyMatch(each -> !each.state().isGone());
    boolean wasHeard = members.came().stream().anyMatch(each -> hasGivenUp(nodes, each));
    if (findings.hasReasonToBeAway() || isHeard || wasHeard) {
      return "";
    }
    List<NicDescription> nics = mesh.transport().nics();
    List<String> dark =
        nics.stream().filter(each -> !each.hasCarrier()).map(NicDescription::netdev).toList();
    List<String> remedies = new ArrayList<>();
    String where = " on any of its cables";
    if (!dark.isEmpty()) {
      where =
          ", and %s %s no carrier"
              .formatted(String.join(", ", dark), dark.size() == 1 ? "has" : "have");
      remedies.add("plug the cable in");
    }
    remedies.add("start the others");
    if (dark.isEmpty() || dark.size() < nics.size()) {
      remedies.add("let firewalls pass " + PORT);
    }
    return " This node hears no other%s: %s.".formatted(where, String.join(", or ", remedies));
  }
}
