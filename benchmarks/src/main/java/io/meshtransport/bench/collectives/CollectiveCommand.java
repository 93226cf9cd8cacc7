// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/**
 * What the harness sends to a {@link CollectiveNode}; answered by the event it names, or by {@link
 * CollectiveEvent.Failed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = CollectiveCommand.Join.class, name = "join"),
  @JsonSubTypes.Type(value = CollectiveCommand.Time.class, name = "time"),
  @JsonSubTypes.Type(value = CollectiveCommand.Plan.class, name = "plan"),
  @JsonSubTypes.Type(value = CollectiveCommand.Check.class, name = "check"),
})
sealed interface CollectiveCommand {
  /**
   * Join the group: {@link CollectiveEvent.Joined}.
   *
   * @param members in the order of ranks
   * @param folder where members publish their handles; empty if they join the mesh, and find each
   *     other there
   * @param maxBytes of one operation
   * @param limitMs for each step
   */
  record Join(List<String> members, String folder, int maxBytes, long limitMs)
      implements CollectiveCommand {}

  /**
   * All-reduce so many bytes of floats, again and again, and check the sums: {@link
   * CollectiveEvent.Timed}.
   *
   * @param runs that are timed; a tenth of that before, to warm up
   */
  record Time(int bytes, int runs) implements CollectiveCommand {}

  /** Explain how so many bytes of floats are all-reduced: {@link CollectiveEvent.Planned}. */
  record Plan(int bytes) implements CollectiveCommand {}

  /** Run every operation once, and compare its results: {@link CollectiveEvent.Checked}. */
  record Check() implements CollectiveCommand {}
}
