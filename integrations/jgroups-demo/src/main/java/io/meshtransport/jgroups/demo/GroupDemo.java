// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * JGroups on a mesh, shown and checked: stock TCP as a control, then MESH, then with a cable that
 * is pulled, then Infinispan over MESH. Used once, by one thread.
 */
public final class GroupDemo {
  /**
   * Stock TCP gives up its attempts to join others after 20 s or more, and is then a group of its
   * own.
   */
  private static final Duration CONTROL_LIMIT = Duration.ofSeconds(120);

  private final Fabric fabric;
  private final GroupDemoPlan plan;
  private final NodeJvm jvm;
  private final DemoFindings findings;

  /**
   * @param fabric with real cables, a pair of nodes never more than one; the caller's
   * @param jvm how members are started, for any program and memory
   * @param progress receives a line for each step
   */
  public GroupDemo(Fabric fabric, GroupDemoPlan plan, NodeJvm jvm, Consumer<String> progress) {
    this.fabric = fabric;
    this.plan = plan;
    this.jvm = RunningGroup.jvm(plan.heapMiB(), jvm.settings(), jvm.options(), jvm.echo());
    this.findings = new DemoFindings(progress);
  }

  /** Shows it all. A part that fails keeps no later one from being shown. */
  public GroupDemoReport run() {
    findings.report("sizes: " + plan.sizes());
    plan.control()
        .ifPresent(
            viewLimit -> new ControlPart(fabric, jvm, viewLimit, CONTROL_LIMIT, findings).show());
    Duration limit = plan.stepLimit().multipliedBy(fabric.slowness());
    new MeshPart(fabric, jvm, plan, limit, findings).show();
    if (plan.cutsCable()) {
      new CutPart(fabric, jvm, plan, limit, findings).show();
    }
    plan.entries().forEach(each -> new CachePart(fabric, jvm, plan, each, limit, findings).show());
    String node = fabric.topology().nodes().get(0);
    return findings.toReport(
        fabric.topology().name(),
        fabric.settings(node).getOrDefault("MESH_PROVIDER", "auto"),
        plan.sizes(),
        fabric.topology().nodes());
  }
}
