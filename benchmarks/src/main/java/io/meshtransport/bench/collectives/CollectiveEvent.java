// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.meshtransport.topology.ProgramProcess;
import java.util.Map;

/** What a {@link CollectiveNode} reports to the harness. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = CollectiveEvent.Joined.class, name = "joined"),
  @JsonSubTypes.Type(value = CollectiveEvent.Timed.class, name = "timed"),
  @JsonSubTypes.Type(value = CollectiveEvent.Planned.class, name = "planned"),
  @JsonSubTypes.Type(value = CollectiveEvent.Checked.class, name = "checked"),
  @JsonSubTypes.Type(value = CollectiveEvent.Failed.class, name = "failed"),
})
sealed interface CollectiveEvent {
  /**
   * The group is complete.
   *
   * @param description of the group: members and links
   */
  record Joined(String description) implements CollectiveEvent {}

  /**
   * All runs are done, and every sum was right.
   *
   * @param nanos of the timed runs together, here
   * @param compilerNanos processor time of this JVM's compilers meanwhile, warm-up included
   */
  record Timed(long nanos, long compilerNanos) implements CollectiveEvent {}

  /**
   * @param text of {@link io.meshtransport.collectives.Collective#plan}
   */
  record Planned(String text) implements CollectiveEvent {}

  /**
   * Every operation has run.
   *
   * @param outcomes by operation: empty, or what is wrong with its results here
   * @param digest SHA-256 of sums whose bits depend on the order of adding
   */
  record Checked(Map<String, String> outcomes, String digest) implements CollectiveEvent {}

  /**
   * The command was not done.
   *
   * @param reason name of the reason, or of the exception's class
   * @param text what happened
   */
  record Failed(String reason, String text) implements CollectiveEvent, ProgramProcess.Refusal {}
}
