// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A request of every kind from the post to its completion, with the peer's receive where it needs
 * one, in chains of sixteen: for the bytes that it leaves to the collector. Over libibverbs without
 * a device, and over the soft provider's TCP.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RequestKinds {
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

  /** The verbs. */
  @Param({"ibverbs", "soft"})
  public String provider;

  /** What is posted. */
  @Param public SendOpcode kind;

  private QueuePairEnd from;
  private QueuePairEnd to;
  private boolean consumesReceive;

  /** Opens both ends. */
  @Setup
  public void open() throws VerbsException {
    from = new QueuePairEnd(device("127.77.99.1"), QueuePairEnd.CHAIN);
    to = new QueuePairEnd(device("127.77.99.2"), QueuePairEnd.CHAIN);
    QueuePairEnd.connect(from, to);
    consumesReceive =
        switch (kind) {
          case SEND, SEND_WITH_IMM, RDMA_WRITE_WITH_IMM -> true;
          default -> false;
        };
  }

  private VerbsDevice device(String address) throws VerbsException {
    if (provider.equals("soft")) {
      return new SoftProvider().open("lo-" + address);
    }
    PostAndPoll.requireBinding();
    return NullLibrary.open(NullLibrary.WIRE_DEVICE);
  }

  /** Closes them. */
  @TearDown
  public void close() throws VerbsException {
    from.close();
    to.close();
  }

  /** Sixteen requests, until both ends have polled all completions. */
  @Benchmark
  @OperationsPerInvocation(QueuePairEnd.CHAIN)
  public long requests() {
    if (consumesReceive) {
      to.fillReceives(QueuePairEnd.CHAIN);
      to.postReceives();
    }
    from.fill(QueuePairEnd.CHAIN, kind, to);
    from.post();
    return consumesReceive
        ? poll(from, from.sends) + poll(to, to.receives)
        : poll(from, from.sends);
  }

  private static long poll(QueuePairEnd end, CompletionQueue queue) {
    long sum = 0;
    int left = QueuePairEnd.CHAIN;
    long startNs = System.nanoTime();
    while (left > 0) {
      int count = queue.poll(end.batch);
      sum += end.read(count);
      left -= count;
      if (count == 0 && System.nanoTime() - startNs > LIMIT_NS) {
        throw new IllegalStateException(left + " requests did not complete within 10 s");
      }
    }
    return sum;
  }
}
