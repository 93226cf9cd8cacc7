// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.CableProof;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A group over MESH: one view, everyone receives from everyone, and each pair uses its own cable.
 */
final class MeshPart {
  private static final String STACK = "MESH";

  private final Fabric fabric;
  private final NodeJvm jvm;
  private final GroupDemoPlan plan;
  private final List<String> nodes;
  private final Duration limit;
  private final DemoFindings findings;

  /**
   * @param limit of each step
   */
  MeshPart(Fabric fabric, NodeJvm jvm, GroupDemoPlan plan, Duration limit, DemoFindings findings) {
    this.fabric = fabric;
    this.jvm = jvm;
    this.plan = plan;
    this.nodes = fabric.topology().nodes();
    this.limit = limit;
    this.findings = findings;
  }

  void show() {
    findings.report("MESH: the same members with mesh.xml, a JVM at each node");
    GroupStack stack =
        GroupStack.mesh("mesh.xml", fabric.topology()).with(node -> plan.stackProperties());
    try (RunningGroup group = new RunningGroup(fabric, jvm, "demo", stack, 2)) {
      if (findings.require("MESH: one view of all", () -> view(group))
          && findings.require("MESH: everyone receives from everyone", () -> multicasts(group))
          && findings.require("MESH: each pair on its own cable", () -> cables(group))) {
        findings.require("MESH: state transfer", () -> state(group));
      }
    }
  }

  private String view(RunningGroup group) {
    group.start(nodes);
    Map<String, MemberEvent.Joined> joined = group.join(nodes, limit);
    group.awaitView(nodes, limit);
    long slowest = joined.values().stream().mapToLong(MemberEvent.Joined::millis).max().orElse(0);
    long merges =
        nodes.stream()
            .mapToLong(
                node ->
                    group.member(node).views().views().stream()
                        .filter(MemberEvent.InstalledView::merged)
                        .count())
            .max()
            .orElse(0);
    return "%s see each other; all had joined after %d ms; merges: %d"
        .formatted(String.join(", ", nodes), slowest, merges);
  }

  private String multicasts(RunningGroup group) {
    long count = GroupDemoPlan.count(plan.multicasts());
    group.execute(
        nodes, node -> new MemberCommand.Send(plan.multicasts(), 0), MemberEvent.Sent.class, limit);
    group.awaitReceived(nodes, count, 0, limit);
    Map<String, MemberEvent.Received> received = new HashMap<>();
    nodes.forEach(node -> received.put(node, group.member(node).received()));
    GroupDelivery delivery = GroupDelivery.of(STACK, group.views(nodes), count, nodes, received);
    findings.delivered(delivery);
    if (!delivery.isComplete()) {
      throw new FabricException(delivery.faults());
    }
    return "%d multicasts of %d bytes in all by each, every byte checked"
        .formatted(count, GroupDemoPlan.bytes(plan.multicasts()));
  }

  private String cables(RunningGroup group) {
    nodes.forEach(node -> links(group.member(node)).lines().forEach(findings::link));
    for (Cable cable : fabric.topology().cables()) {
      CableUse use = unicasts(group, cable);
      findings.carried(use);
      findings.report("MESH: " + use);
      if (!use.isRight()) {
        throw new FabricException(use.toString());
      }
    }
    return "%d unicasts in each direction of each pair, every byte checked"
        .formatted(GroupDemoPlan.count(plan.unicasts()));
  }

  private String links(Member member) {
    String all = member.execute(new MemberCommand.QueryLinks(), MemberEvent.Links.class).text();
    return all.lines().map(line -> member.name() + " to " + line + "\n").reduce("", String::concat);
  }

  /** Has the two ends of a cable send to each other while the others send nothing. */
  private CableUse unicasts(RunningGroup group, Cable cable) {
    List<String> pair = List.of(cable.a().node(), cable.b().node());
    CableProof before = CableProof.of(fabric);
    group.execute(
        pair,
        node -> new MemberCommand.Send(plan.unicastsTo(cable.peerOf(node)), 0),
        MemberEvent.Sent.class,
        limit);
    group.awaitReceived(pair, 0, GroupDemoPlan.count(plan.unicasts()), limit);
    CableProof after = CableProof.of(fabric);
    for (String node : pair) {
      for (MemberEvent.ReceivedFrom of : group.member(node).received().senders()) {
        if (!of.hasNoFlaw()) {
          throw new FabricException(node + " received wrong bytes or numbers: " + of);
        }
      }
    }
    return CableUse.between(before, after, cable, 2 * GroupDemoPlan.bytes(plan.unicasts()));
  }

  private String state(RunningGroup group) {
    String from = nodes.get(0);
    Member to = group.member(nodes.get(nodes.size() - 1));
    group
        .member(from)
        .execute(new MemberCommand.ProvideState(plan.stateBytes()), MemberEvent.Done.class);
    MemberEvent.StateFetched fetched =
        to.execute(
            new MemberCommand.FetchState(from, limit.toMillis()),
            MemberEvent.StateFetched.class,
            limit);
    if (fetched.bytes() != plan.stateBytes()) {
      throw new FabricException(fetched.bytes() + " of " + plan.stateBytes() + " bytes came");
    }
    return "%s has %d bytes from %s after %d ms, every byte checked"
        .formatted(to.name(), fetched.bytes(), from, fetched.millis());
  }
}
