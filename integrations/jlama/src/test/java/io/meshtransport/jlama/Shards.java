// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Shards of one model in this process, each on its own thread. */
final class Shards {
  private Shards() {}

  /**
   * The answer of each shard.
   *
   * @param exchanges one for each shard; closed here
   */
  static List<List<Integer>> answers(
      Path folder, int[] prompt, int count, List<? extends ShardExchange> exchanges)
      throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(exchanges.size());
    try {
      List<Future<List<Integer>>> answers = new ArrayList<>();
      for (int shard = 0; shard < exchanges.size(); shard++) {
        int own = shard;
        answers.add(
            threads.submit(
                () -> {
                  try (LlamaShard part = LlamaShard.load(folder, own, exchanges.size())) {
                    return part.generate(prompt, count, exchanges.get(own)).tokens();
                  }
                }));
      }
      List<List<Integer>> all = new ArrayList<>();
      for (Future<List<Integer>> answer : answers) {
        all.add(answer.get());
      }
      return all;
    } finally {
      threads.shutdownNow();
      exchanges.forEach(ShardExchange::close);
    }
  }

  /** The same, each compared with the answer of the undivided model. */
  static void assertSameAnswers(
      Path folder, String text, int count, List<? extends ShardExchange> exchanges)
      throws InterruptedException, ExecutionException {
    int[] prompt = RandomLlama.tokens(text);
    List<Integer> alone = answers(folder, prompt, count, List.of(ShardExchange.NONE)).get(0);

    List<List<Integer>> shared = answers(folder, prompt, count, exchanges);

    assertEquals(count, alone.size());
    shared.forEach(answer -> assertEquals(alone, answer));
  }
}
