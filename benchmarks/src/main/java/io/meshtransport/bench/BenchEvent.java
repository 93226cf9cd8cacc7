// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.meshtransport.topology.ProgramProcess;

/** What a {@link BenchNode} reports to the harness. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = BenchEvent.Opened.class, name = "opened"),
  @JsonSubTypes.Type(value = BenchEvent.Connected.class, name = "connected"),
  @JsonSubTypes.Type(value = BenchEvent.Measured.class, name = "measured"),
  @JsonSubTypes.Type(value = BenchEvent.Failed.class, name = "failed"),
})
sealed interface BenchEvent {
  /**
   * @param address for the other end
   */
  record Opened(String address) implements BenchEvent {}

  /** Both ways. */
  record Connected() implements BenchEvent {}

  /**
   * A run has ended.
   *
   * @param processor time of this node meanwhile
   */
  record Measured(Measurement measurement, ProcessorTime processor) implements BenchEvent {}

  /**
   * The command was not done.
   *
   * @param reason name of the exception's class
   * @param text what happened
   */
  record Failed(String reason, String text) implements BenchEvent, ProgramProcess.Refusal {}
}
