// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.util.function.Consumer;

/**
 * The harness's end of a node of a {@link RunningMesh}, which makes it and closes it. Threads as in
 * {@link ProgramProcess}.
 */
public final class NodeProcess extends ProgramProcess<NodeCommand, NodeEvent> {
  NodeProcess(
      String name, Process process, Consumer<NodeEvent.Progress> progress, OutputTail errors) {
    super(name, process, NodeEvent.class, event -> isProgress(event, progress), errors);
  }

  private static boolean isProgress(NodeEvent event, Consumer<NodeEvent.Progress> progress) {
    if (event instanceof NodeEvent.Progress step) {
      progress.accept(step);
      return true;
    }
    return false;
  }

  static NodeProcess start(
      Fabric fabric, String node, NodeJvm jvm, Consumer<NodeEvent.Progress> progress) {
    return new NodeProcess(node, start(fabric, node, jvm, node), progress, jvm.errorsOf(node));
  }
}
