// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sizes of a model of the Llama family.
 *
 * @param layers transformer blocks
 * @param hidden elements of a token's vector
 * @param heads of attention, each as long; keys and values have as many
 * @param intermediate elements between the two halves of a feed-forward block
 * @param context max tokens of prompt and answer together
 */
public record LlamaShape(int layers, int hidden, int heads, int intermediate, int context) {
  /** One token per byte, and three that mark beginnings, ends and the unknown. */
  static final int VOCABULARY = 256 + 3;

  /** What a vector of the widest processors holds, in floats; Jlama's kernels need whole ones. */
  static final int LANES = 16;

  /** Checks that heads are whole vectors. */
  public LlamaShape {
    if (layers < 1 || heads < 1 || context < 2) {
      throw new IllegalArgumentException(
          layers + " layers, " + heads + " heads and a context of " + context + " tokens");
    }
    if (hidden % (heads * LANES) != 0 || hidden == 0) {
      throw new IllegalArgumentException(
          hidden + " elements are not " + heads + " heads of a multiple of " + LANES);
    }
    if (intermediate % LANES != 0 || intermediate < LANES) {
      throw new IllegalArgumentException(
          intermediate + " elements between are no multiple of " + LANES);
    }
  }

  /**
   * Checks that the model can be divided: each shard has as many whole heads as the next, and as
   * much of the feed-forward blocks.
   *
   * @throws IllegalArgumentException if it cannot
   */
  public void checkShards(int shards) {
    if (shards < 1 || heads % shards != 0 || intermediate % (shards * LANES) != 0) {
      throw new IllegalArgumentException(
          "%d heads and %d elements between cannot be divided by %d shards"
              .formatted(heads, intermediate, shards));
    }
  }

  /** Bytes of all weights, as F32. */
  public long weightBytes() {
    return tensors().values().stream()
        .mapToLong(
            shape ->
                shape.stream().mapToLong(Integer::longValue).reduce(Float.BYTES, (a, b) -> a * b))
        .sum();
  }

  /** Names and shapes of its tensors as Hugging Face names them, in the order of a file. */
  Map<String, List<Integer>> tensors() {
    Map<String, List<Integer>> tensors = new LinkedHashMap<>();
    tensors.put("model.embed_tokens.weight", List.of(VOCABULARY, hidden));
    for (int layer = 0; layer < layers; layer++) {
      putLayer(tensors, "model.layers." + layer + ".");
    }
    tensors.put("model.norm.weight", List.of(hidden));
    tensors.put("lm_head.weight", List.of(VOCABULARY, hidden));
    return Collections.unmodifiableMap(tensors);
  }

  private void putLayer(Map<String, List<Integer>> tensors, String layer) {
    tensors.put(layer + "input_layernorm.weight", List.of(hidden));
    for (String projection : List.of("q_proj", "k_proj", "v_proj", "o_proj")) {
      tensors.put(layer + "self_attn." + projection + ".weight", List.of(hidden, hidden));
    }
    tensors.put(layer + "post_attention_layernorm.weight", List.of(hidden));
    tensors.put(layer + "mlp.gate_proj.weight", List.of(intermediate, hidden));
    tensors.put(layer + "mlp.up_proj.weight", List.of(intermediate, hidden));
    tensors.put(layer + "mlp.down_proj.weight", List.of(hidden, intermediate));
  }

  /** What {@code config.json} says of it. */
  Map<String, Object> config() {
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("model_type", "llama");
    config.put("max_position_embeddings", context);
    config.put("hidden_size", hidden);
    config.put("intermediate_size", intermediate);
    config.put("num_attention_heads", heads);
    config.put("num_key_value_heads", heads);
    config.put("num_hidden_layers", layers);
    config.put("rms_norm_eps", 1e-5);
    config.put("vocab_size", VOCABULARY);
    config.put("bos_token_id", RandomLlama.BEGIN);
    config.put("eos_token_id", new ArrayList<>(List.of(RandomLlama.END)));
    config.put("hidden_act", "silu");
    config.put("rope_theta", 10_000.0);
    return config;
  }
}
