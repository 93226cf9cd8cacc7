// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** What the harness sends to a {@link BenchNode}; answered by the event it names. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = BenchNodeCommand.Open.class, name = "open"),
  @JsonSubTypes.Type(value = BenchNodeCommand.Connect.class, name = "connect"),
  @JsonSubTypes.Type(value = BenchNodeCommand.PassOn.class, name = "passOn"),
  @JsonSubTypes.Type(value = BenchNodeCommand.Run.class, name = "run"),
})
sealed interface BenchNodeCommand {
  /**
   * Make an end: {@link BenchEvent.Opened}.
   *
   * @param host an address of this node's cable
   */
  record Open(BenchEnds ends, String host) implements BenchNodeCommand {}

  /**
   * Connect to the other end, which gets the same command: {@link BenchEvent.Connected}.
   *
   * @param address of {@link BenchEvent.Opened}
   * @param connections how many
   */
  record Connect(String address, boolean initiates, int connections) implements BenchNodeCommand {}

  /**
   * Be between two ends: {@link BenchEvent.Connected}, once the first has connected here.
   *
   * @param address of {@link BenchEvent.Opened} of the end that does not initiate
   */
  record PassOn(String address) implements BenchNodeCommand {}

  /**
   * Take part in a run: {@link BenchEvent.Measured}.
   *
   * @param warmUpMs before that which is measured
   * @param timeMs how long to measure, where the workload has no limit of messages
   * @param recording file for a flight recording of this run; none if empty
   */
  record Run(Workload workload, boolean initiates, long warmUpMs, long timeMs, String recording)
      implements BenchNodeCommand {}
}
