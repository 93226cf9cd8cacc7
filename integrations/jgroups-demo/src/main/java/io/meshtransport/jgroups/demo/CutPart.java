// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A group over MESH whose members all send while a cable is pulled, and while it is plugged in
 * again: no member is lost, and no message. Members find each other by the mesh, without seeds.
 */
final class CutPart {
  private static final int MESSAGE_BYTES = 1_000;
  private static final int PER_SECOND = 100;

  private final Fabric fabric;
  private final NodeJvm jvm;
  private final GroupDemoPlan plan;
  private final List<String> nodes;
  private final Duration limit;
  private final DemoFindings findings;

  /**
   * @param limit of each step
   */
  CutPart(Fabric fabric, NodeJvm jvm, GroupDemoPlan plan, Duration limit, DemoFindings findings) {
    this.fabric = fabric;
    this.jvm = jvm;
    this.plan = plan;
    this.nodes = fabric.topology().nodes();
    this.limit = limit;
    this.findings = findings;
  }

  void show() {
    findings.report("MESH: members without seeds, whose cable is pulled while all send");
    GroupStack stack =
        GroupStack.mesh("mesh.xml", fabric.topology())
            .with(node -> plan.stackProperties())
            .with(node -> Map.of("jgroups.mesh.seeds", ""));
    try (RunningGroup group = new RunningGroup(fabric, jvm, "cut", stack, 3)) {
      findings.require("MESH: a pulled cable costs no member and no message", () -> cut(group));
    }
  }

  private String cut(RunningGroup group) {
    group.startAll(limit);
    MulticastStreams streams = new MulticastStreams(group, nodes);
    Map<String, MemberEvent.Views> views = views(group);
    group.execute(
        nodes,
        node -> new MemberCommand.StartSending(MESSAGE_BYTES, PER_SECOND),
        MemberEvent.Done.class,
        limit);
    streams.awaitMore(limit);
    Cable cable = fabric.topology().cables().get(0);
    long pulledNs = System.nanoTime();
    fabric.cut(cable);
    streams.awaitMore(limit);
    long overMs = GroupChannel.millisSince(pulledNs);
    fabric.mend(cable);
    streams.awaitMore(limit);
    Map<String, MemberEvent.Sent> sent =
        group.execute(
            nodes, node -> new MemberCommand.StopSending(), MemberEvent.Sent.class, limit);
    streams.awaitLast(limit);
    requireAll(streams, sent);
    if (!views(group).equals(views)) {
      throw new FabricException("the view has changed: " + views(group));
    }
    return "%s pulled, and %d ms later each has more of each; %d messages of each are all there"
        .formatted(cable, overMs, sent.get(nodes.get(0)).messages());
  }

  /** Nothing was sent before, so each stream begins with the first message. */
  private static void requireAll(MulticastStreams streams, Map<String, MemberEvent.Sent> sent) {
    List<String> flaws = new ArrayList<>();
    streams
        .now()
        .forEach(
            (receiver, ofSenders) ->
                ofSenders.forEach(
                    (sender, stream) -> {
                      if (stream.count() != sent.get(sender).messages()
                          || stream.skipped() + stream.wrong() + stream.again() != 0) {
                        flaws.add(receiver + " of " + sender + ": " + stream);
                      }
                    }));
    if (!flaws.isEmpty()) {
      throw new FabricException(String.join("; ", flaws));
    }
  }

  private Map<String, MemberEvent.Views> views(RunningGroup group) {
    return group.execute(
        nodes, node -> new MemberCommand.QueryViews(), MemberEvent.Views.class, limit);
  }
}
