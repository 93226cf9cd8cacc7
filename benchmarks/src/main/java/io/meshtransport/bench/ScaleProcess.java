// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;

/** The harness's end of a {@link ScaleNode}; the creator closes it. */
final class ScaleProcess extends ProgramProcess<ScaleCommand, ScaleEvent> {
  private ScaleProcess(Fabric fabric, String node, NodeJvm jvm) {
    super(
        node, start(fabric, node, jvm, node), ScaleEvent.class, event -> false, jvm.errorsOf(node));
  }

  static ScaleProcess start(Fabric fabric, String node, NodeJvm jvm) {
    return new ScaleProcess(fabric, node, jvm.running(ScaleNode.class.getName(), MEMORY));
  }

  /** Compiler threads are kept: the processor time of a thread that ends is no longer counted. */
  private static final String[] MEMORY = {
    "-Xmx256m", "-XX:MaxDirectMemorySize=600m", "-XX:-UseDynamicNumberOfCompilerThreads"
  };
}
