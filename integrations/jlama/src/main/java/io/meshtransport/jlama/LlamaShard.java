// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.AbstractModel.InferenceType;
import com.github.tjake.jlama.model.DistributedContext;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.safetensors.SafeTensorSupport;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.KvBufferCache;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A node's share of a model, loaded by Jlama: of each layer so many heads and so many rows of the
 * feed-forward block. Shard 0 samples too. Opened and used by one thread; the opener closes it.
 *
 * <p>Tensors are of the raw type, as in Jlama's own signatures.
 */
@SuppressWarnings("rawtypes")
final class LlamaShard implements AutoCloseable {
  private final AbstractModel model;
  private final KvBufferCache memory;
  private final boolean samples;

  private LlamaShard(AbstractModel model, boolean samples) {
    this.model = model;
    this.memory = new KvBufferCache(model);
    this.samples = samples;
  }

  /**
   * Loads a share.
   *
   * @param folder of the whole model
   * @param shard 0 to {@code shards} - 1
   * @param shards nodes that share it; 1 for all of it
   */
  static LlamaShard load(Path folder, int shard, int shards) {
    boolean samples = shard == 0;
    return new LlamaShard(
        ModelSupport.loadModel(
            samples ? InferenceType.FULL_GENERATION : InferenceType.FORWARD_PASS,
            folder.toFile(),
            folder.toFile(),
            DType.F32,
            DType.F32,
            Optional.empty(),
            Optional.empty(),
            Optional.of(
                config ->
                    DistributedContext.builder(config)
                        .setModelShard(shard)
                        .setNumModelShards(shards)
                        .build()),
            SafeTensorSupport::loadWeights),
        samples);
  }

  /**
   * Answers a prompt, with the most likely token each time. Every shard is called with the same.
   *
   * @param count tokens of the answer, 2 or more; an end token does not end it
   */
  Generation generate(int[] prompt, int count, ShardExchange exchange) {
    var reducer = Optional.of(reducer(exchange));
    try (KvBufferCache.KvBuffer session = memory.getEphemeralKvBuffer();
        AbstractTensor logits = model.makeDenseTensor(1, model.getConfig().vocabularySize)) {
      List<Integer> tokens = new ArrayList<>();
      long begin = System.nanoTime();
      tokens.add(next(model.batchForward(prompt, 0, session, reducer), logits, exchange));
      long first = System.nanoTime();
      for (int i = 0; i < count - 1; i++) {
        AbstractTensor output = model.forward(tokens.get(i), prompt.length + i, session, reducer);
        tokens.add(next(output, logits, exchange));
      }
      return new Generation(tokens, first - begin, System.nanoTime() - first);
    }
  }

  /** What Jlama calls with partial sums. */
  private static Consumer<List<AbstractTensor>> reducer(ShardExchange exchange) {
    return tensors -> tensors.forEach(tensor -> sum(tensor, exchange));
  }

  /** A text's tokens as the model's own tokenizer makes them. */
  long[] encode(String text) {
    return model.getTokenizer().encode(text);
  }

  private static void sum(AbstractTensor tensor, ShardExchange exchange) {
    exchange.sum(
        tensor.getMemorySegment().asByteBuffer().order(ByteOrder.nativeOrder()).asFloatBuffer());
  }

  /** Samples from the last row of an output, and closes it. */
  private int next(AbstractTensor output, AbstractTensor logits, ShardExchange exchange) {
    try (output) {
      int sampled =
          samples ? model.sample(output.slice(output.shape().first() - 1), 0, 0, logits) : 0;
      return exchange.token(sampled);
    }
  }

  @Override
  public void close() {
    memory.close();
    model.close();
  }
}
