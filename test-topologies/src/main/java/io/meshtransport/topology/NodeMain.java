// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;

/** One node of a {@link RunningMesh}, a JVM of its own. */
public final class NodeMain {
  private NodeMain() {}

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException {
    CommandLoop.<NodeCommand, NodeEvent>run(
        arguments[0], NodeCommand.class, events -> new NodeProgram(arguments[0], events));
  }
}
