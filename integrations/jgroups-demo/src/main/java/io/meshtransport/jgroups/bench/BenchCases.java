// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.util.List;

/**
 * What is measured: each program with each size of messages.
 *
 * @param programs in the order they run
 * @param messageBytes payloads, each 8 bytes to 1 MiB
 * @param threads of each member that send, 1 to 1000
 * @param readPercentage of UPerf's calls, 0 to 100
 */
public record BenchCases(
    List<PerfKind> programs, List<Integer> messageBytes, int threads, int readPercentage) {
  public BenchCases {
    programs = List.copyOf(programs);
    messageBytes = List.copyOf(messageBytes);
    GroupBenchPlan.check("threads", threads, 1, 1000);
    GroupBenchPlan.check("percentage of reads", readPercentage, 0, 100);
    messageBytes.forEach(bytes -> GroupBenchPlan.check("bytes of a message", bytes, 8, 1 << 20));
    if (programs.isEmpty() || messageBytes.isEmpty()) {
      throw new IllegalArgumentException("no program, or no size of messages");
    }
  }

  Load load(int bytes, int seconds) {
    return new Load(bytes, threads, readPercentage, seconds);
  }
}
