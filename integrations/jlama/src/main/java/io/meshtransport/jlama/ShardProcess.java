// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;
import java.time.Duration;

/** The demo's end of a {@link ShardNode}. Its starter closes it. One thread. */
final class ShardProcess extends ProgramProcess<ShardCommand, ShardEvent> {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private ShardProcess(String node, Process process, NodeJvm jvm) {
    super(node, process, ShardEvent.class, event -> false, jvm.errorsOf(node));
  }

  /** Starts one; it does nothing until it gets a command. */
  static ShardProcess start(Fabric fabric, String node, NodeJvm jvm) {
    return new ShardProcess(node, start(fabric, node, jvm, node), jvm);
  }

  /** Waits for the answer to a command, as long as a long one takes. */
  <A extends ShardEvent> A await(Class<A> answer) {
    return awaitEvent(answer, LIMIT);
  }

  /** Sends a command, and waits for the answer. */
  <A extends ShardEvent> A execute(ShardCommand command, Class<A> answer) {
    send(command);
    return await(answer);
  }
}
