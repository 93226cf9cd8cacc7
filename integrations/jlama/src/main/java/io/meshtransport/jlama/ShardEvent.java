// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.meshtransport.topology.ProgramProcess;

/** What a node reports to the demo: one line of JSON each on its standard output. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ShardEvent.Done.class, name = "done"),
  @JsonSubTypes.Type(value = ShardEvent.Joined.class, name = "joined"),
  @JsonSubTypes.Type(value = ShardEvent.StarOpened.class, name = "star-opened"),
  @JsonSubTypes.Type(value = ShardEvent.Generated.class, name = "generated"),
  @JsonSubTypes.Type(value = ShardEvent.Failed.class, name = "failed"),
})
sealed interface ShardEvent {
  /** The command is done, and has no result. */
  record Done() implements ShardEvent {}

  /**
   * Connected to all shards.
   *
   * @param how the way describes itself
   */
  record Joined(String how) implements ShardEvent {}

  /** A star's center is open, on this port of all the node's addresses. */
  record StarOpened(int port) implements ShardEvent {}

  /** An answer. */
  record Generated(Generation generation) implements ShardEvent {}

  /** The command failed. */
  record Failed(String reason, String text) implements ShardEvent, ProgramProcess.Refusal {}
}
