// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;

/** The harness's end of a {@link CollectiveNode}; the creator closes it. */
final class CollectiveProcess extends ProgramProcess<CollectiveCommand, CollectiveEvent> {
  /** Compiler threads are kept: the processor time of a thread that ends is no longer counted. */
  private static final String[] MEMORY = {
    "-Xmx256m", "-XX:MaxDirectMemorySize=900m", "-XX:-UseDynamicNumberOfCompilerThreads"
  };

  private CollectiveProcess(Fabric fabric, String node, NodeJvm jvm) {
    super(
        node,
        start(fabric, node, jvm, node),
        CollectiveEvent.class,
        event -> false,
        jvm.errorsOf(node));
  }

  static CollectiveProcess start(Fabric fabric, String node, NodeJvm jvm) {
    return new CollectiveProcess(fabric, node, jvm.running(CollectiveNode.class.getName(), MEMORY));
  }
}
