// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Sizes of models, and what they refuse. */
class LlamaShapeTest {
  private static final LlamaShape SMALL = new LlamaShape(2, 192, 6, 576, 64);

  @Test
  void shouldCountTheBytesOfAllWeights() {
    long layer = 2 * 192 + 4 * 192 * 192 + 3 * 192 * 576;
    long ends = 2L * LlamaShape.VOCABULARY * 192 + 192;

    assertEquals(4 * (2 * layer + ends), SMALL.weightBytes());
    assertEquals(List.of(576, 192), SMALL.tensors().get("model.layers.1.mlp.up_proj.weight"));
    assertEquals(192, SMALL.config().get("hidden_size"));
  }

  @Test
  void shouldRefuseHeadsThatAreNoWholeVectors() {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> new LlamaShape(2, 192, 8, 576, 64));

    assertTrue(refusal.getMessage().contains("8 heads"), refusal.getMessage());
    assertThrows(IllegalArgumentException.class, () -> new LlamaShape(0, 192, 6, 576, 64));
    assertThrows(IllegalArgumentException.class, () -> new LlamaShape(2, 0, 6, 576, 64));
    assertThrows(IllegalArgumentException.class, () -> new LlamaShape(2, 192, 6, 577, 64));
  }

  @Test
  void shouldRefuseShardsThatWouldNotBeEqual() {
    SMALL.checkShards(1);
    SMALL.checkShards(3);

    assertThrows(IllegalArgumentException.class, () -> SMALL.checkShards(0));
    assertThrows(IllegalArgumentException.class, () -> SMALL.checkShards(4));
  }
}
