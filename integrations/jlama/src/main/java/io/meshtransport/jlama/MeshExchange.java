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
  private final Prepared broadcast;
  private final ByteBuffer token;

  /** An operation with its memory. */
  private record Prepared(RegisteredMemory memory, Collective operation) implements AutoCloseable {
    ByteBuffer buffer() {
      return memory.segments().get(0).duplicate().order(ByteOrder.nativeOrder());
    }

    @Override
    public void close() {
      operation.close();
      memory.close();
    }
  }

  /** A sum of one length. */
  private record PreparedSum(FloatBuffer values, Prepared allReduce) {}

  private interface Preparing {
    Collective on(RegisteredMemory memory) throws CollectiveException;
  }

  /** Prepares, as every member of the group does at that moment. */
  MeshExchange(Group group) {
    this.group = group;
    try {
      broadcast =
          prepare(
              Integer.BYTES,
              memory -> group.broadcast(memory, 0, 1, DataType.I32, 0, CollectiveOptions.DEFAULT));
      token = broadcast.buffer();
    } catch (CollectiveException e) {
      throw new ShardExchangeException("the token's broadcast: " + e.getMessage(), e);
    }
  }

  /** Keeps no memory of an operation that cannot be prepared. */
  private Prepared prepare(long bytes, Preparing preparing) throws CollectiveException {
    RegisteredMemory memory = group.allocate(bytes);
    try {
      return new Prepared(memory, preparing.on(memory));
    } catch (CollectiveException | RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  @Override
  public void sum(FloatBuffer partial) {
    try {
      PreparedSum sum = sums.get(partial.limit());
      if (sum == null) {
        sum = prepareSum(partial.limit());
        sums.put(partial.limit(), sum);
      }
      sum.values().put(0, partial, 0, partial.limit());
      sum.allReduce().operation().run(TIMEOUT);
      partial.put(0, sum.values(), 0, partial.limit());
    } catch (CollectiveException e) {
      throw new ShardExchangeException("a sum of " + partial.limit() + ": " + e.getMessage(), e);
    }
  }

  private PreparedSum prepareSum(int count) throws CollectiveException {
    Prepared allReduce =
        prepare(
            (long) Float.BYTES * count,
            memory ->
                group.allReduce(
                    memory, 0, count, DataType.F32, ReduceOp.SUM, CollectiveOptions.DEFAULT));
    return new PreparedSum(allReduce.buffer().asFloatBuffer(), allReduce);
  }

  @Override
  public int token(int sampled) {
    try {
      if (group.rank() == 0) {
        token.putInt(0, sampled);
      }
      broadcast.operation().run(TIMEOUT);
      return token.getInt(0);
    } catch (CollectiveException e) {
      throw new ShardExchangeException("a token: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    broadcast.close();
    sums.values().forEach(sum -> sum.allReduce().close());
  }
}
