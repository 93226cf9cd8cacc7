// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * A command of the demo to a {@link FailoverNode}. Each is answered by the event it names, or by
 * {@link FailoverEvent.Failed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = FailoverCommand.AwaitNodes.class, name = "await-nodes"),
  @JsonSubTypes.Type(value = FailoverCommand.Receive.class, name = "receive"),
  @JsonSubTypes.Type(value = FailoverCommand.Send.class, name = "send"),
  @JsonSubTypes.Type(value = FailoverCommand.Count.class, name = "count"),
})
sealed interface FailoverCommand {
  /** Wait until the mesh has so many nodes, all within reach: {@link FailoverEvent.Done}. */
  record AwaitNodes(int nodes) implements FailoverCommand {}

  /**
   * Receive messages of one length, over the channel that comes first: {@link
   * FailoverEvent.Received}.
   */
  record Receive(long bytes, int messageBytes) implements FailoverCommand {}

  /**
   * Send messages of one length, over one channel, which is opened first: {@link
   * FailoverEvent.Halfway}, then {@link FailoverEvent.Sent}.
   *
   * @param to name of a node that receives
   * @param seed of their content
   */
  record Send(String to, long bytes, int messageBytes, long seed) implements FailoverCommand {}

  /** Say how much was relayed: {@link FailoverEvent.Counted}. */
  record Count() implements FailoverCommand {}
}
