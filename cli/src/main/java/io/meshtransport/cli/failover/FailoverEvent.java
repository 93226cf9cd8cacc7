// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.meshtransport.topology.ProgramProcess;

/** What a {@link FailoverNode} reports. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = FailoverEvent.Done.class, name = "done"),
  @JsonSubTypes.Type(value = FailoverEvent.Halfway.class, name = "halfway"),
  @JsonSubTypes.Type(value = FailoverEvent.Sent.class, name = "sent"),
  @JsonSubTypes.Type(value = FailoverEvent.Received.class, name = "received"),
  @JsonSubTypes.Type(value = FailoverEvent.Counted.class, name = "counted"),
  @JsonSubTypes.Type(value = FailoverEvent.Failed.class, name = "failed"),
})
sealed interface FailoverEvent {
  /** The command is done, and has no result to report. */
  record Done() implements FailoverEvent {}

  /** Half of the messages are on their way. */
  record Halfway() implements FailoverEvent {}

  /** All messages are at the peer. */
  record Sent(String sha256) implements FailoverEvent {}

  /**
   * All messages are here.
   *
   * @param longestGapMs between two messages
   */
  record Received(String sha256, long longestGapMs) implements FailoverEvent {}

  /**
   * What the relay here has done since it began.
   *
   * @param relayedBytes passed on for others
   * @param sentChunks of what this node sends over its relay, which need not take more than a cable
   */
  record Counted(long relayedBytes, long sentChunks) implements FailoverEvent {}

  /**
   * The command was not done.
   *
   * @param reason name of the reason
   * @param text what happened
   */
  record Failed(String reason, String text) implements FailoverEvent, ProgramProcess.Refusal {}
}
