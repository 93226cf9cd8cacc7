// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.meshtransport.topology.ProgramProcess;

/** What a {@link PerfMember} reports to the harness. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = PerfEvent.Done.class, name = "done"),
  @JsonSubTypes.Type(value = PerfEvent.Measured.class, name = "measured"),
  @JsonSubTypes.Type(value = PerfEvent.Failed.class, name = "failed"),
})
sealed interface PerfEvent {
  /** The command is done, and has no result to report. */
  record Done() implements PerfEvent {}

  /** What one member has measured. */
  record Measured(Figures figures) implements PerfEvent {}

  /**
   * The command was not done.
   *
   * @param reason name of the exception's class
   * @param text what happened
   */
  record Failed(String reason, String text) implements PerfEvent, ProgramProcess.Refusal {}
}
