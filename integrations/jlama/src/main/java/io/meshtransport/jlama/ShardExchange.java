// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import java.nio.FloatBuffer;

/**
 * How the shards of a model exchange what each needs of the others. Every shard makes the same
 * calls in the same order, on one thread.
 */
interface ShardExchange extends AutoCloseable {
  /** Of a model that has one shard. */
  ShardExchange NONE =
      new ShardExchange() {
        @Override
        public void sum(FloatBuffer partial) {
          // One partial sum is the sum.
        }

        @Override
        public int token(int sampled) {
          return sampled;
        }

        @Override
        public void close() {
          // Holds nothing.
        }
      };

  /**
   * Replaces this shard's partial sums by the sums over all shards.
   *
   * @param partial direct, from position 0 to its limit; as many at each shard
   * @throws ShardExchangeException if another shard cannot be reached any more; no retry helps
   */
  void sum(FloatBuffer partial);

  /**
   * The token that shard 0 has sampled, at every shard.
   *
   * @param sampled used at shard 0 only
   * @throws ShardExchangeException as {@link #sum}
   */
  int token(int sampled);

  @Override
  void close();
}
