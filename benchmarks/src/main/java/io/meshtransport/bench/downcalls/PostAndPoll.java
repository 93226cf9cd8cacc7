// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.ibverbs.IbverbsProvider;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What it costs a message that sends are posted and completions polled, where driver and device
 * cost nothing: the calls alone, with all that is around them in Java, and the same with the
 * requests written and the completions read. Nanoseconds per message.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PostAndPoll {
  /** What {@link IbverbsProvider#callsThrough} must answer; nothing, if any will do. */
  static final String BINDING_PROPERTY = "mesh.bench.binding";

  private static final SendOpcode OPCODE = SendOpcode.RDMA_WRITE_WITH_IMM;
  private QueuePairEnd one;
  private QueuePairEnd many;

  /** Opens the ends. */
  @Setup
  public void open() throws VerbsException {
    requireBinding();
    one = end(1);
    many = end(QueuePairEnd.CHAIN);
    one.fill(1, OPCODE, one);
    many.fill(QueuePairEnd.CHAIN, OPCODE, many);
  }

  /** A figure under the wrong name would be worse than none. */
  static void requireBinding() {
    String wanted = System.getProperty(BINDING_PROPERTY, IbverbsProvider.callsThrough());
    if (!wanted.equals(IbverbsProvider.callsThrough())) {
      throw new IllegalStateException(
          "calls go through " + IbverbsProvider.callsThrough() + ", not through " + wanted);
    }
  }

  private static QueuePairEnd end(int count) throws VerbsException {
    QueuePairEnd end = new QueuePairEnd(NullLibrary.open(NullLibrary.NULL_DEVICE), count);
    QueuePairEnd.connect(end, end);
    return end;
  }

  /** Closes them. */
  @TearDown
  public void close() throws VerbsException {
    one.close();
    many.close();
  }

  /** One message, one post, one poll. */
  @Benchmark
  public int callsSingly() {
    one.post();
    return one.sends.poll(one.batch);
  }

  /** Sixteen messages with one post and one poll. */
  @Benchmark
  @OperationsPerInvocation(QueuePairEnd.CHAIN)
  public int callsInChains() {
    many.post();
    return many.sends.poll(many.batch);
  }

  /** As {@link #callsSingly}, with writing the request and reading its completion. */
  @Benchmark
  public long messageSingly() {
    one.fill(1, OPCODE, one);
    one.post();
    one.sends.poll(one.batch);
    return one.read(1);
  }

  /** As {@link #callsInChains}, with writing the requests and reading their completions. */
  @Benchmark
  @OperationsPerInvocation(QueuePairEnd.CHAIN)
  public long messagesInChains() {
    many.fill(QueuePairEnd.CHAIN, OPCODE, many);
    many.post();
    many.sends.poll(many.batch);
    return many.read(QueuePairEnd.CHAIN);
  }

  /** A receive posted by itself. */
  @Benchmark
  public int receiveSingly() {
    one.fillReceives(1);
    one.postReceives();
    return one.receives.poll(one.batch);
  }

  /** Sixteen receives with one post. */
  @Benchmark
  @OperationsPerInvocation(QueuePairEnd.CHAIN)
  public int receivesInChains() {
    many.fillReceives(QueuePairEnd.CHAIN);
    many.postReceives();
    return many.receives.poll(many.batch);
  }
}
