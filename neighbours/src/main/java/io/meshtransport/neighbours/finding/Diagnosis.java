// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.neighbours.wire.OtherSecret;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All findings about one node's cables and about the names in the mesh. A pure function. */
public final class Diagnosis {
  private static final String OWN_NAME = "Set MESH_NODE to a name of its own on all but one.";

  private final List<CableView> cables;
  private final List<Finding> findings = new ArrayList<>();

  private Diagnosis(List<CableView> cables) {
    this.cables = cables;
  }

  /**
   * The findings, sorted by kind and subject, none twice.
   *
   * @param cables of this node
   * @param present the nodes within reach, this one included
   * @param recent those within reach now or lately, as far as they have described all of their
   *     interfaces
   * @param doubled the names that several nodes have had at one time lately
   */
  public static List<Finding> of(
      List<CableView> cables,
      Collection<NodeView> present,
      Collection<NodeView> recent,
      Set<String> doubled) {
    Diagnosis diagnosis = new Diagnosis(cables);
    for (CableView cable : cables) {
      diagnosis.examine(cable);
      cable.neighbours().forEach(each -> diagnosis.examine(cable, each));
    }
    diagnosis.findings.addAll(SubnetFindings.of(cables));
    diagnosis.otherSecrets();
    diagnosis.duplicateNames(present, recent, doubled);
    Set<List<Object>> known = new HashSet<>();
    return diagnosis.findings.stream()
        .filter(each -> known.add(List.of(each.kind(), each.subject())))
        .sorted(Comparator.comparing(Finding::kind).thenComparing(Finding::subject))
        .toList();
  }

  private void add(FindingKind kind, String subject, String text, String remedy) {
    findings.add(new Finding(kind, subject, text, remedy));
  }

  private void examine(CableView cable) {
    String name = cable.interfaceName();
    cable
        .ownInterface()
        .ifPresent(
            own ->
                add(
                    FindingKind.LOOPED_CABLE,
                    own.compareTo(name) < 0 ? own + " - " + name : name + " - " + own,
                    own.equals(name)
                        ? "What this node sends from %s comes back to it.".formatted(name)
                        : "The cable leads from %s back to %s of the same node."
                            .formatted(name, own),
                    "Plug one of its ends into another node."));
    cable
        .otherJob()
        .ifPresent(
            sender ->
                add(
                    FindingKind.OTHER_JOB,
                    name,
                    "The node at the other end belongs to another job: %s.".formatted(sender),
                    "Give both nodes the same job, or ignore it if they are meant to be apart."));
    severalNodes(cable);
  }

  private void otherSecrets() {
    Map<OtherSecret.Difference, List<CableView>> alike =
        cables.stream()
            .filter(each -> each.otherSecret().isPresent())
            .collect(
                Collectors.groupingBy(
                    each -> each.otherSecret().get().difference(),
                    () -> new EnumMap<>(OtherSecret.Difference.class),
                    Collectors.toList()));
    alike.forEach(this::otherSecrets);
  }

  /** In the same words on each cable, so that texts may have them once. */
  private void otherSecrets(OtherSecret.Difference difference, List<CableView> where) {
    List<String> senders =
        where.stream().map(each -> each.otherSecret().get().sender()).distinct().sorted().toList();
    boolean isOne = senders.size() == 1;
    String who = isOne ? "The node at the other end has" : "The nodes at the other ends have";
    String what =
        switch (difference) {
          case ONLY_HERE -> "no secret, and this node has one";
          case ONLY_THERE -> "a secret, and this node has none";
          case DIFFERENT -> "another secret than this node";
        };
    String names = isOne ? "it calls itself" : "they call themselves";
    String remedy =
        switch (difference) {
          case ONLY_HERE ->
              "Set this node's MESH_SECRET on %s too.".formatted(isOne ? "that one" : "those");
          case ONLY_THERE ->
              "Set %s MESH_SECRET on this one too.".formatted(isOne ? "that node's" : "their");
          case DIFFERENT ->
              "Set the same MESH_SECRET on %s nodes.".formatted(isOne ? "both" : "all");
        };
    for (CableView each : where) {
      add(
          FindingKind.OTHER_SECRET,
          each.interfaceName(),
          "%s %s; %s %s, which is not proved."
              .formatted(who, what, names, String.join(", ", senders)),
          remedy);
    }
  }

  private void severalNodes(CableView cable) {
    Set<NodeId> nodes =
        cable.neighbours().stream().map(NeighbourView::node).collect(Collectors.toSet());
    if (nodes.size() > 1 || cable.hasRefused()) {
      String places =
          cable.neighbours().stream()
              .map(NeighbourView::place)
              .sorted()
              .collect(Collectors.joining(", "));
      add(
          FindingKind.SEVERAL_NODES,
          cable.interfaceName(),
          "Several nodes are behind this port: %s%s."
              .formatted(places, cable.hasRefused() ? ", and more" : ""),
          "This works through a switch, for at most %d of them; they share the port's rate."
              .formatted(NeighbourHello.MAX_SEEN));
    }
  }

  private void examine(CableView cable, NeighbourView neighbour) {
    String both = cable.with(neighbour);
    if (neighbour.isOneWay()) {
      add(
          FindingKind.ONE_WAY,
          both,
          "%s is heard here, but does not hear this node.".formatted(neighbour.place()),
          "Let the firewall of %s accept UDP from this node on %s; if it does, replace the cable."
              .formatted(neighbour.name(), neighbour.interfaceName()));
    }
    if (cable.mtu() != 0 && neighbour.mtu() != 0 && cable.mtu() != neighbour.mtu()) {
      int larger = Math.max(cable.mtu(), neighbour.mtu());
      boolean isLocal = cable.mtu() < larger;
      add(
          FindingKind.MTU_MISMATCH,
          both,
          "The MTU is %d here and %d there: packets above the smaller one are lost."
              .formatted(cable.mtu(), neighbour.mtu()),
          "Run `ip link set dev %s mtu %d` on %s."
              .formatted(
                  isLocal ? cable.interfaceName() : neighbour.interfaceName(),
                  larger,
                  isLocal ? "this node" : neighbour.name()));
    }
    if (cable.speedMbps() != 0
        && neighbour.speedMbps() != 0
        && cable.speedMbps() != neighbour.speedMbps()) {
      add(
          FindingKind.SPEED_MISMATCH,
          both,
          "The speed is %d Mbit/s here and %d Mbit/s there."
              .formatted(cable.speedMbps(), neighbour.speedMbps()),
          "Plug the cable into ports of one speed, or set it with `ethtool -s`.");
    }
  }

  private void duplicateNames(
      Collection<NodeView> present, Collection<NodeView> recent, Set<String> doubled) {
    Map<String, List<NodeView>> presentByName = byName(present);
    presentByName.forEach(
        (name, nodes) -> {
          if (nodes.size() > 1) {
            add(
                FindingKind.DUPLICATE_NAME,
                name,
                "%d nodes have the name %s: %s.".formatted(nodes.size(), name, descriptions(nodes)),
                OWN_NAME);
          }
        });
    byName(recent)
        .forEach(
            (name, nodes) -> {
              boolean isDoubled = presentByName.getOrDefault(name, List.of()).size() > 1;
              if (!isDoubled && areApart(nodes)) {
                boolean wereBoth = doubled.contains(name);
                add(
                    FindingKind.REUSED_NAME,
                    name,
                    "%d nodes have had the name %s within a minute, %s: %s."
                        .formatted(
                            nodes.size(),
                            name,
                            wereBoth ? "and two of them at one time" : "at addresses that differ",
                            descriptions(nodes)),
                    wereBoth
                        ? OWN_NAME
                        : "If they are two hosts, set MESH_NODE to a name of its own on one of"
                            + " them; if one host has got new addresses, nothing is wrong.");
              }
            });
  }

  private static Map<String, List<NodeView>> byName(Collection<NodeView> nodes) {
    return nodes.stream()
        .collect(Collectors.groupingBy(NodeView::name, TreeMap::new, Collectors.toList()));
  }

  private static String descriptions(List<NodeView> nodes) {
    return nodes.stream().map(NodeView::description).sorted().collect(Collectors.joining("; "));
  }

  /**
   * Whether two of some nodes are probably on two hosts. A process that was started again has
   * another id and its host's addresses. Of nodes without addresses nothing is known.
   */
  private static boolean areApart(List<NodeView> nodes) {
    List<Set<InetAddress>> addresses =
        nodes.stream().map(NodeView::addresses).filter(each -> !each.isEmpty()).toList();
    return addresses.stream()
        .anyMatch(one -> addresses.stream().anyMatch(other -> Collections.disjoint(one, other)));
  }
}
