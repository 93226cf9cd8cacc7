// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.tjake.jlama.safetensors.SafeTensorSupport;
import com.github.tjake.jlama.safetensors.WeightLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a random model, as Jlama reads them. */
@Tag("slow")
class RandomLlamaTest {
  private static final LlamaShape SHAPE = new LlamaShape(1, 48, 3, 48, 16);

  @TempDir private Path one;
  @TempDir private Path other;

  @Test
  void shouldBeReadByJlama() throws IOException {
    new RandomLlama(SHAPE, 1).write(one);

    WeightLoader weights = SafeTensorSupport.loadWeights(one.toFile());

    SHAPE
        .tensors()
        .forEach(
            (name, shape) -> {
              long found = weights.load(name).size();
              long elements =
                  shape.stream().mapToLong(Integer::longValue).reduce(1, (a, b) -> a * b);
              assertEquals(elements, found, name);
            });
    assertEquals(1, weights.load("model.norm.weight").get(0, 7));
    float weight = weights.load("lm_head.weight").get(3, 5);
    assertTrue(Math.abs(weight) <= Math.sqrt(3.0 / 48) && weight != 0, "" + weight);
  }

  @Test
  void shouldBeTheSameFilesForTheSameSeedOnly() throws IOException {
    new RandomLlama(SHAPE, 1).write(one);
    new RandomLlama(SHAPE, 1).write(other);
    for (String file : RandomLlama.FILES) {
      assertEquals(-1, Files.mismatch(one.resolve(file), other.resolve(file)), file);
    }

    new RandomLlama(SHAPE, 2).write(other);

    String weights = "model.safetensors";
    assertEquals(Files.size(one.resolve(weights)), Files.size(other.resolve(weights)));
    assertFalse(Files.mismatch(one.resolve(weights), other.resolve(weights)) < 0);
  }

  @Test
  void shouldMakeTheTokensThatJlamaMakes() throws IOException {
    new RandomLlama(SHAPE, 1).write(one);
    try (LlamaShard shard = LlamaShard.load(one, 0, 1)) {
      long[] encoded = shard.encode("\u00e9 cable");

      int[] tokens = RandomLlama.tokens("\u00e9 cable");

      assertEquals(RandomLlama.BEGIN, tokens[0]);
      assertArrayEquals(Arrays.stream(tokens).skip(1).asLongStream().toArray(), encoded);
    }
  }
}
