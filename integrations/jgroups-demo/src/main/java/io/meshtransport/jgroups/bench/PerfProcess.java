// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;

/** The harness's end of a {@link PerfMember}; whoever made it closes it. */
final class PerfProcess extends ProgramProcess<PerfCommand, PerfEvent> {
  private PerfProcess(Fabric fabric, String node, NodeJvm jvm) {
    super(
        node, start(fabric, node, jvm, node), PerfEvent.class, event -> false, jvm.errorsOf(node));
  }

  static PerfProcess start(Fabric fabric, String node, NodeJvm jvm) {
    return new PerfProcess(fabric, node, jvm.running(PerfMember.class.getName(), MEMORY));
  }

  /**
   * A compiler's thread that ends takes the account of its time with it, so they stay. Memory:
   * eight times what retransmission, flow control and 64 KiB messages of all threads need.
   */
  private static final String[] MEMORY = {
    "-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=400m", "-XX:-UseDynamicNumberOfCompilerThreads"
  };
}
