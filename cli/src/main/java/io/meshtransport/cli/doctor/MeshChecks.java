// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.doctor;

import io.meshtransport.cli.doctor.Ailment.Severity;
import io.meshtransport.neighbours.finding.FindingKind;
import io.meshtransport.neighbours.map.CableState;
import io.meshtransport.neighbours.map.MapCable;
import io.meshtransport.neighbours.map.MapFinding;
import io.meshtransport.neighbours.map.MapNode;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.verdict.NodeState;
import java.util.ArrayList;
import java.util.List;

/** What a map shows to be wrong: findings, cut cables, nodes that do not live. A pure function. */
public final class MeshChecks {
  private MeshChecks() {}

  /** All of it, in the order of the map. */
  public static List<Ailment> of(MeshMap map) {
    List<Ailment> found = new ArrayList<>();
    for (MapFinding each : map.findings()) {
      found.add(
          new Ailment(
              severity(each.kind()),
              "cabling at " + each.node() + ", " + each.subject(),
              each.text(),
              reason(each.kind()),
              each.remedy()));
    }
    for (MapCable each : map.cables()) {
      if (each.state() == CableState.CUT) {
        found.add(cut(map, each));
      }
    }
    for (MapNode each : map.nodes()) {
      if (each.state() != NodeState.ALIVE) {
        found.add(node(each));
      }
    }
    return found;
  }

  private static Severity severity(FindingKind kind) {
    return switch (kind) {
      case CROSSED_CABLES,
          SHARED_SUBNET,
          PREFIX_MISMATCH,
          ONE_WAY,
          MTU_MISMATCH,
          OTHER_SECRET,
          LOOPED_CABLE ->
          Severity.BLOCKS;
      case SEVERAL_NODES, SPEED_MISMATCH, DUPLICATE_NAME, REUSED_NAME, OTHER_JOB -> Severity.WARNS;
    };
  }

  private static String reason(FindingKind kind) {
    return switch (kind) {
      case CROSSED_CABLES, PREFIX_MISMATCH ->
          "Addresses do not reach the other end, so no route over this cable is found.";
      case SHARED_SUBNET -> "Packets leave by the wrong cable, and their peer never gets them.";
      case ONE_WAY -> "Nothing that is sent from here arrives, so no connection is set up.";
      case MTU_MISMATCH -> "Long messages stop where short ones pass.";
      case OTHER_SECRET -> "Each end refuses the other.";
      case LOOPED_CABLE -> "The cable joins no two nodes.";
      case SEVERAL_NODES -> "Nodes behind one port share its rate.";
      case SPEED_MISMATCH -> "The cable is as fast as its slower end, if it works at all.";
      case DUPLICATE_NAME -> "Who addresses a node by its name may get the other one.";
      case REUSED_NAME -> "If both are to be there, what addresses them by their name fails.";
      case OTHER_JOB -> "Nodes of different jobs ignore each other.";
    };
  }

  private static Ailment cut(MeshMap map, MapCable cable) {
    boolean hasOther =
        map.cables().stream()
            .anyMatch(
                each ->
                    each.state() == CableState.UP
                        && each.one().node().equals(cable.one().node())
                        && each.other().node().equals(cable.other().node()));
    return new Ailment(
        hasOther ? Severity.WARNS : Severity.BLOCKS,
        "cable " + cable.one().place() + " - " + cable.other().place(),
        "it worked and is cut, though both nodes live",
        hasOther
            ? "Another cable joins these nodes; this one's rate is missing."
            : "No other cable joins these nodes directly.",
        "Plug both ends in, look for an interface that is down (`ip link`), or replace it.");
  }

  private static Ailment node(MapNode node) {
    boolean isOver = node.state().isGone();
    return new Ailment(
        isOver ? Severity.WARNS : Severity.BLOCKS,
        "node " + node.label(),
        node.state().description() + ": " + node.evidence(),
        isOver ? "It takes no part in the mesh." : "Requests to it wait until it goes on.",
        isOver
            ? "Start its program or its host again, if it should be there."
            : "Look at its process on its host (`ps`, state T is stopped), and at the load there.");
  }
}
