// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.meshtransport.topology.CommandLoop;
import java.io.IOException;

/** One node of the demo, a JVM of its own. */
public final class ShardNode {
  private ShardNode() {}

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException {
    CommandLoop.<ShardCommand, ShardEvent>run(arguments[0], ShardCommand.class, ShardProgram::new);
  }
}
