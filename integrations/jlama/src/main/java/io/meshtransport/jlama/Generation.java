// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import java.util.List;

/**
 * An answer.
 *
 * @param tokens in order
 * @param promptNs how long the prompt took, until the first token
 * @param answerNs how long the tokens after the first took
 */
public record Generation(List<Integer> tokens, long promptNs, long answerNs) {
  /** Checks that there are two tokens, and times. */
  public Generation {
    tokens = List.copyOf(tokens);
    if (tokens.size() < 2 || promptNs < 0 || answerNs < 1) {
      throw new IllegalArgumentException(
          tokens.size() + " tokens in " + promptNs + " and " + answerNs + " ns");
    }
  }

  /** Tokens of the answer per second, the prompt and the first token apart. */
  public double tokensPerSecond() {
    return (tokens.size() - 1) * 1e9 / answerNs;
  }
}
