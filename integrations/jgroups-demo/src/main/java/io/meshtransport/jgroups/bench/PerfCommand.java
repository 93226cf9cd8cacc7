// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * A command of the harness to a {@link PerfMember}. Each is answered by the event it names, or by
 * {@link PerfEvent.Failed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = PerfCommand.Join.class, name = "join"),
  @JsonSubTypes.Type(value = PerfCommand.AwaitMembers.class, name = "await-members"),
  @JsonSubTypes.Type(value = PerfCommand.Prepare.class, name = "prepare"),
  @JsonSubTypes.Type(value = PerfCommand.RunTest.class, name = "run-test"),
  @JsonSubTypes.Type(value = PerfCommand.Report.class, name = "report"),
  @JsonSubTypes.Type(value = PerfCommand.Leave.class, name = "leave"),
})
sealed interface PerfCommand {
  /**
   * Start a program and join its group: {@link PerfEvent.Done}.
   *
   * @param stack file with the protocols
   */
  record Join(PerfKind program, String stack) implements PerfCommand {}

  /** Wait until the view has this many members: {@link PerfEvent.Done}. */
  record AwaitMembers(int members, long timeoutMs) implements PerfCommand {}

  /**
   * Get ready for a load, whose figures are requested next: {@link PerfEvent.Done}.
   *
   * @param recording file for a flight recording; empty: none
   */
  record Prepare(Load load, String recording) implements PerfCommand {}

  /**
   * Start the program's test on all members, by the program's own means, and wait until it knows
   * the results: {@link PerfEvent.Done}. Sent to one member.
   */
  record RunTest() implements PerfCommand {}

  /** Report what this member has measured, once it has: {@link PerfEvent.Measured}. */
  record Report(long timeoutMs) implements PerfCommand {}

  /** Leave the group and end the program: {@link PerfEvent.Done}. */
  record Leave() implements PerfCommand {}
}
