// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shards in one process; also tests {@link ShardExchange} and {@link ShardExchangeException}. */
@Tag("slow")
class LlamaShardTest {
  private static final RandomLlama MODEL = new RandomLlama(new LlamaShape(2, 96, 6, 192, 64), 5);
  private static final int COUNT = 12;

  @TempDir private Path folder;

  @BeforeEach
  void writeModel() throws java.io.IOException {
    MODEL.write(folder);
  }

  /** Sums through arrays that all shards see. */
  private static final class SharedArrays implements ShardExchange {
    private final int own;
    private final float[][] partials;
    private final int[] token;
    private final CyclicBarrier barrier;

    private SharedArrays(int own, float[][] partials, int[] token, CyclicBarrier barrier) {
      this.own = own;
      this.partials = partials;
      this.token = token;
      this.barrier = barrier;
    }

    static List<SharedArrays> of(int shards) {
      float[][] partials = new float[shards][];
      int[] token = new int[1];
      CyclicBarrier barrier = new CyclicBarrier(shards);
      return IntStream.range(0, shards)
          .mapToObj(own -> new SharedArrays(own, partials, token, barrier))
          .toList();
    }

    private void await() {
      try {
        barrier.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
        throw new ShardExchangeException("a shard is missing", e);
      }
    }

    @Override
    public void sum(FloatBuffer partial) {
      partials[own] = new float[partial.limit()];
      partial.get(0, partials[own]);
      await();
      for (int i = 0; i < partial.limit(); i++) {
        float sum = 0;
        for (float[] each : partials) {
          sum += each[i];
        }
        partial.put(i, sum);
      }
      await();
    }

    @Override
    public int token(int sampled) {
      if (own == 0) {
        token[0] = sampled;
      }
      await();
      int shared = token[0];
      await();
      return shared;
    }

    @Override
    public void close() {
      barrier.reset();
    }
  }

  @Test
  void shouldGiveTheTokensOfTheUndividedModel() throws Exception {
    for (int shards = 2; shards <= 3; shards++) {
      Shards.assertSameAnswers(folder, "wire", COUNT, SharedArrays.of(shards));
    }
  }

  @Test
  void shouldGiveAnAnswerThatDependsOnThePrompt() throws Exception {
    List<ShardExchange> alone = List.of(ShardExchange.NONE);
    List<Integer> one = Shards.answers(folder, RandomLlama.tokens("wire"), COUNT, alone).get(0);
    List<Integer> other = Shards.answers(folder, RandomLlama.tokens("fibre"), COUNT, alone).get(0);

    assertNotEquals(one, other);
    // The same token again and again would hide wrong sums.
    assertTrue(new HashSet<>(one).size() > 3, one.toString());
  }

  @Test
  void shouldGiveOtherTokensWhereSumsAreNotExchanged() throws Exception {
    int[] prompt = RandomLlama.tokens("wire");
    List<Integer> alone = Shards.answers(folder, prompt, COUNT, List.of(ShardExchange.NONE)).get(0);
    try (LlamaShard shard = LlamaShard.load(folder, 0, 3)) {
      assertNotEquals(alone, shard.generate(prompt, COUNT, ShardExchange.NONE).tokens());
    }
  }

  @Test
  void shouldPassOnThatAnotherShardIsGone() {
    try (LlamaShard shard = LlamaShard.load(folder, 1, 2)) {
      SharedArrays alone = SharedArrays.of(2).get(1);
      Thread.currentThread().interrupt();

      ShardExchangeException failure =
          assertThrows(
              ShardExchangeException.class,
              () -> shard.generate(RandomLlama.tokens("wire"), COUNT, alone));

      assertEquals("a shard is missing", failure.getMessage());
    }
  }
}
