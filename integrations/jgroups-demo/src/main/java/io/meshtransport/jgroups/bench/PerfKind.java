// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

/** JGroups' measuring programs. */
public enum PerfKind {
  /** Calls to one or two others at a time, each with an answer. */
  UPERF("UPerf", "call"),
  /** Messages to all, as fast as flow control lets them. */
  MPERF("MPerf", "message");

  private final String label;
  private final String operation;

  PerfKind(String label, String operation) {
    this.label = label;
    this.operation = operation;
  }

  /** What JGroups calls it. */
  String label() {
    return label;
  }

  /** What {@link Figures} counts: a call answered, or a message at one receiver. */
  String operation() {
    return operation;
  }

  PerfProgram create() throws Exception {
    return this == UPERF ? new MeasuredUPerf() : new MeasuredMPerf();
  }
}
