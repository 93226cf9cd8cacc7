// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import java.util.List;

/**
 * What the demo has found.
 *
 * @param result {@code PASS}, or {@code FAIL: } and why
 * @param shape of the model
 * @param weightBytes of the model
 * @param processorsPerNode that each JVM was given
 * @param tokens the answer of a single node
 * @param ways a single node first, then the mesh, then the star
 */
public record JlamaDemoReport(
    String result,
    LlamaShape shape,
    long weightBytes,
    int processorsPerNode,
    List<Integer> tokens,
    List<Way> ways) {
  /** The verdict of a demo that passed. */
  public static final String PASS = "PASS";

  /** Copies the lists. */
  public JlamaDemoReport {
    tokens = List.copyOf(tokens);
    ways = List.copyOf(ways);
  }

  /**
   * One way to compute the answer.
   *
   * @param name for people
   * @param nodes how many computed it
   * @param tokensPerSecond median of the runs
   * @param minTokensPerSecond of the slowest run
   * @param maxTokensPerSecond of the fastest run
   * @param promptMs median, until the first token
   * @param sameTokens whether every run at every node gave the single node's first answer
   */
  public record Way(
      String name,
      int nodes,
      double tokensPerSecond,
      double minTokensPerSecond,
      double maxTokensPerSecond,
      double promptMs,
      boolean sameTokens) {}

  /** Whether every way gave the same answer. */
  public boolean passed() {
    return result.equals(PASS);
  }

  /** The report of a demo that ran to its end. */
  static JlamaDemoReport of(
      LlamaShape shape, int processorsPerNode, List<Integer> tokens, List<Way> ways) {
    List<String> others = ways.stream().filter(way -> !way.sameTokens()).map(Way::name).toList();
    String result =
        others.isEmpty() ? PASS : "FAIL: other tokens by " + String.join(" and ", others);
    return new JlamaDemoReport(result, shape, shape.weightBytes(), processorsPerNode, tokens, ways);
  }

  /** A table of the ways. */
  public String table() {
    StringBuilder table = new StringBuilder();
    table.append(
        "%-34s %5s %10s %15s %10s %7s%n"
            .formatted("way", "nodes", "tokens/s", "slowest-fastest", "prompt ms", "tokens"));
    for (Way way : ways) {
      table.append(
          "%-34s %5d %10.1f %15s %10.0f %7s%n"
              .formatted(
                  way.name(),
                  way.nodes(),
                  way.tokensPerSecond(),
                  "%.1f-%.1f".formatted(way.minTokensPerSecond(), way.maxTokensPerSecond()),
                  way.promptMs(),
                  way.sameTokens() ? "same" : "OTHER"));
    }
    return table.toString();
  }

  /** What it has shown, in a line. */
  public String summary() {
    return "Jlama on triangle: %d tokens of a model of %.0f MB, the same by every way"
        .formatted(tokens.size(), weightBytes / 1e6);
  }
}
