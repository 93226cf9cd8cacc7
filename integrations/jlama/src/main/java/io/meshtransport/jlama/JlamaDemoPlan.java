// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

/**
 * How much the demo does.
 *
 * @param model written for it, and removed after it
 * @param prompt that is answered
 * @param tokens of each answer, 2 or more
 * @param warmUps answers of each way that are not counted
 * @param runs answers of each way that are
 */
public record JlamaDemoPlan(RandomLlama model, String prompt, int tokens, int warmUps, int runs) {
  private static final String PROMPT = "Three nodes, three cables, and no switch:";

  /** 62 million weights, 247 MB. */
  public static final JlamaDemoPlan HOST =
      new JlamaDemoPlan(
          new RandomLlama(new LlamaShape(8, 768, 12, 2304, 256), 21), PROMPT, 64, 4, 5);

  /** An eighth of that. */
  public static final JlamaDemoPlan QUICK =
      new JlamaDemoPlan(
          new RandomLlama(new LlamaShape(4, 384, 12, 1152, 128), 21), PROMPT, 32, 4, 5);

  /** Checks that it can be done. */
  public JlamaDemoPlan {
    if (runs < 1 || warmUps < 0) {
      throw new IllegalArgumentException(warmUps + " warm-ups and " + runs + " runs");
    }
    int all = RandomLlama.tokens(prompt).length + tokens;
    if (tokens < 2 || all > model.shape().context()) {
      throw new IllegalArgumentException(
          "%d tokens with the prompt's in a context of %d".formatted(all, model.shape().context()));
    }
  }
}
