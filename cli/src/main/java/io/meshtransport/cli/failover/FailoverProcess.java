// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;

/** The demo's end of a {@link FailoverNode}; its creator closes it. */
final class FailoverProcess extends ProgramProcess<FailoverCommand, FailoverEvent> {
  private FailoverProcess(Fabric fabric, String node, NodeJvm jvm) {
    super(
        node,
        start(fabric, node, jvm, node),
        FailoverEvent.class,
        event -> false,
        jvm.errorsOf(node));
  }

  static FailoverProcess start(Fabric fabric, String node, NodeJvm jvm) {
    return new FailoverProcess(
        fabric,
        node,
        jvm.running(FailoverNode.class.getName(), "-Xmx128m", "-XX:MaxDirectMemorySize=256m"));
  }
}
