// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What JGroups does on a mesh as it comes: its TCP, each member bound to one of its addresses. It
 * reports any result; none of them decides the verdict on MESH.
 */
final class ControlPart {
  private static final String STACK = "stock TCP";
  private static final int MESSAGES = 50;
  private static final int MESSAGE_BYTES = 1000;

  /**
   * It retransmits every 200 ms: a member that receives nothing new for so long will receive
   * nothing more.
   */
  private static final Duration SILENCE = Duration.ofSeconds(3);

  private final Fabric fabric;
  private final NodeJvm jvm;
  private final List<String> nodes;
  private final Duration viewLimit;
  private final Duration limit;
  private final DemoFindings findings;

  /**
   * @param viewLimit until when there should be a view of all, before any member sends
   * @param limit of any other step
   */
  ControlPart(
      Fabric fabric, NodeJvm jvm, Duration viewLimit, Duration limit, DemoFindings findings) {
    this.fabric = fabric;
    this.jvm = jvm;
    this.nodes = fabric.topology().nodes();
    this.viewLimit = viewLimit;
    this.limit = limit;
    this.findings = findings;
  }

  void show() {
    findings.report("control: JGroups as it comes, over stock TCP, a JVM at each node");
    GroupStack stack = GroupStack.stockTcp(fabric.topology());
    try (RunningGroup group = new RunningGroup(fabric, jvm, "control", stack, 1)) {
      findings.compare("control: " + STACK, () -> listen(group));
    }
  }

  private String listen(RunningGroup group) {
    group.start(nodes);
    String first = first(fabric.topology());
    findings.report(
        "control: "
            + first
            + " joins first, which reaches most of the others' addresses: the best they can do");
    group.join(List.of(first), limit);
    nodes.stream()
        .filter(node -> !node.equals(first))
        .forEach(node -> group.join(List.of(node), limit));
    boolean together = whether(() -> group.awaitView(nodes, viewLimit));
    findings.report(
        (together
                ? "control: a view of all"
                : "control: no view of all within " + viewLimit.toSeconds() + " s")
            + "; each says "
            + MESSAGES
            + " multicasts to everyone");
    group.execute(
        nodes,
        node -> new MemberCommand.Send(List.of(Batch.toEveryone(MESSAGES, MESSAGE_BYTES)), 0),
        MemberEvent.Sent.class,
        limit);
    awaitSilence(group);
    Map<String, MemberEvent.Received> received = new HashMap<>();
    nodes.forEach(node -> received.put(node, group.member(node).received()));
    GroupDelivery delivery = GroupDelivery.of(STACK, group.views(nodes), MESSAGES, nodes, received);
    findings.delivered(delivery);
    return summary(delivery, errors(group));
  }

  /** The node with a cable to most of the addresses that the others are known by. */
  static String first(Topology topology) {
    return Collections.max(
        topology.nodes(), Comparator.comparingLong(node -> reachable(topology, node)));
  }

  private static long reachable(Topology topology, String node) {
    return topology.peersOf(node).stream()
        .filter(peer -> topology.cablesOf(peer).get(0).touches(node))
        .count();
  }

  private static boolean whether(Runnable wait) {
    try {
      wait.run();
      return true;
    } catch (FabricException e) {
      return false; // That it did not come is the answer.
    }
  }

  /** Until all have received all, or none has received anything new for a while. */
  private void awaitSilence(RunningGroup group) {
    long[] last = {-1, System.nanoTime()};
    RunningGroup.await(
        limit,
        () -> {
          long now = receivedInAll(group);
          if (now != last[0]) {
            last[0] = now;
            last[1] = System.nanoTime();
          }
          boolean all = now == (long) MESSAGES * nodes.size() * nodes.size();
          return all || System.nanoTime() - last[1] > SILENCE.toNanos() ? "" : "still receiving";
        });
  }

  private long receivedInAll(RunningGroup group) {
    return nodes.stream()
        .flatMap(node -> group.member(node).received().senders().stream())
        .mapToLong(of -> of.multicasts().count())
        .sum();
  }

  private long errors(RunningGroup group) {
    return nodes.stream()
        .flatMap(node -> group.member(node).log().stream())
        .filter(line -> line.level().equals("ERROR") || line.level().equals("FATAL"))
        .mapToLong(MemberEvent.LogLine::count)
        .sum();
  }

  static String summary(GroupDelivery delivery, long errors) {
    if (delivery.isComplete()) {
      return "works here: everyone receives from everyone";
    }
    List<String> silent = delivery.silentPairs();
    String who = silent.isEmpty() ? delivery.faults() : String.join(", ", silent);
    return "broken, as expected on a mesh: views %s; %s; %d errors in the logs"
        .formatted(delivery.views(), who, errors);
  }
}
