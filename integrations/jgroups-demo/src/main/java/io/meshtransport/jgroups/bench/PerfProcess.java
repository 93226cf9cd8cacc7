// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;

/** The harness's end of a {@link PerfMember}; its creator closes it. */
final class PerfProcess extends ProgramProcess<PerfCommand, PerfEvent> {
  private PerfProcess(Fabric fabric, String node, NodeJvm jvm) {
    super(
        node, start(fabric, node, jvm, node), PerfEvent.class, event -> false, jvm.errorsOf(node));
  }

  static PerfProcess start(Fabric fabric, String node, NodeJvm jvm) {
    return new PerfProcess(fabric, node, jvm.running(PerfMember.class.getName(), MEMORY));
  }

  /**
   * Compiler threads are kept, because the processor time of a thread that ends is no longer
   * counted. Memory: eight times what retransmission, flow control and 64 KiB messages of all
   * threads need.
   */
  private static final String[] MEMORY = {
    "-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=400m", "-XX:-UseDynamicNumberOfCompilerThreads"
  };
}
