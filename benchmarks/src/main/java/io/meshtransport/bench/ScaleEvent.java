// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.meshtransport.topology.ProgramProcess;
import java.util.List;

/** What a {@link ScaleNode} reports to the harness. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ScaleEvent.Opened.class, name = "opened"),
  @JsonSubTypes.Type(value = ScaleEvent.Connected.class, name = "connected"),
  @JsonSubTypes.Type(value = ScaleEvent.Measured.class, name = "measured"),
  @JsonSubTypes.Type(value = ScaleEvent.Transferred.class, name = "transferred"),
  @JsonSubTypes.Type(value = ScaleEvent.Done.class, name = "done"),
  @JsonSubTypes.Type(value = ScaleEvent.Failed.class, name = "failed"),
})
sealed interface ScaleEvent {
  /**
   * @param handle for the peers
   */
  record Opened(byte[] handle) implements ScaleEvent {}

  /**
   * All are there.
   *
   * @param nanos from the first connect to the last channel, in or out
   * @param setUpNanos of each channel out, from its connect until it was ready
   */
  record Connected(long nanos, List<Long> setUpNanos) implements ScaleEvent {}

  /** What this process consumes. */
  record Measured(Footprint footprint) implements ScaleEvent {}

  /**
   * @param messages that were sent and arrived, or were received
   * @param nanos how long that took
   */
  record Transferred(long messages, long nanos) implements ScaleEvent {}

  /** The command is done, and has no result to report. */
  record Done() implements ScaleEvent {}

  /**
   * The command was not done.
   *
   * @param reason name of the exception's class
   * @param text what happened
   */
  record Failed(String reason, String text) implements ScaleEvent, ProgramProcess.Refusal {}
}
