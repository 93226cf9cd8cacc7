// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Shards that are the members of a group: sums by an all-reduce, prepared at the first sum of its
 * length, tokens by a prepared broadcast. The group stays its joiner's.
 */
final class MeshExchange implements ShardExchange {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final Group group;
  private final Map<Integer, PreparedSum> sums = new HashMap<>();
  private final RegisteredMemory tokenMemory;
  private final ByteBuffer token;
  private final Collective broadcast;

  /** A sum of one length. */
  private record PreparedSum(RegisteredMemory memory, FloatBuffer values, Collective allReduce) {}

  /** Prepares, as every member of the group does at that moment. */
  MeshExchange(Group group) {
    this.group = group;
    try {
      tokenMemory = group.allocate(Integer.BYTES);
      token = buffer(tokenMemory);
      broadcast = group.broadcast(tokenMemory, 0, 1, DataType.I32, 0, CollectiveOptions.DEFAULT);
    } catch (CollectiveException e) {
      throw new ShardExchangeException("the token's broadcast: " + e.getMessage(), e);
    }
  }

  private static ByteBuffer buffer(RegisteredMemory memory) {
    return memory.segments().get(0).duplicate().order(ByteOrder.nativeOrder());
  }

  @Override
  public void sum(FloatBuffer partial) {
    try {
      PreparedSum sum = sums.get(partial.limit());
      if (sum == null) {
        sum = prepare(partial.limit());
        sums.put(partial.limit(), sum);
      }
      sum.values().put(0, partial, 0, partial.limit());
      sum.allReduce().run(TIMEOUT);
      partial.put(0, sum.values(), 0, partial.limit());
    } catch (CollectiveException e) {
      throw new ShardExchangeException("a sum of " + partial.limit() + ": " + e.getMessage(), e);
    }
  }

  private PreparedSum prepare(int count) throws CollectiveException {
    RegisteredMemory memory = group.allocate((long) Float.BYTES * count);
    return new PreparedSum(
        memory,
        buffer(memory).asFloatBuffer(),
        group.allReduce(memory, 0, count, DataType.F32, ReduceOp.SUM, CollectiveOptions.DEFAULT));
  }

  @Override
  public int token(int sampled) {
    try {
      if (group.rank() == 0) {
        token.putInt(0, sampled);
      }
      broadcast.run(TIMEOUT);
      return token.getInt(0);
    } catch (CollectiveException e) {
      throw new ShardExchangeException("a token: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    broadcast.close();
    tokenMemory.close();
    sums.values()
        .forEach(
            sum -> {
              sum.allReduce().close();
              sum.memory().close();
            });
  }
}
