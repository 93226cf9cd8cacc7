// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

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
 * Half a round trip of eight bytes between two ends on one thread, through the kernel's TCP: what a
 * message costs all who have to do with it, without the waiting. Over a plain socket, and over
 * channels on software verbs, which have such a socket below: the difference is their own. No poll
 * is empty, since the kernel's loopback has delivered a message when its write returns.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HalfRoundTrip {
  /** The uppermost layer. */
  public enum Layer {
    SOCKET,
    CHANNEL
  }

  /** What goes from one end to the other, and back. */
  interface MessagePath {
    /**
     * Sends a number, and receives it at the other end.
     *
     * @return the number that received
     */
    long there(long number) throws Exception;

    /** The same in the other direction. */
    long back(long number) throws Exception;

    /** Closes both ends. */
    void close() throws Exception;
  }

  /** What the message goes over. */
  @Param public Layer layer;

  private MessagePath path;
  private long count;

  /** Opens both ends. */
  @Setup
  public void open() throws Exception {
    path =
        switch (layer) {
          case SOCKET -> new SocketPath();
          case CHANNEL -> new ChannelPath();
        };
  }

  /** Closes them. */
  @TearDown
  public void close() throws Exception {
    path.close();
  }

  /** There and back. */
  @Benchmark
  @OperationsPerInvocation(2)
  public long message() throws Exception {
    count++;
    if (path.there(count) != count || path.back(-count) != -count) {
      throw new IllegalStateException("message " + count + " is not what was sent");
    }
    return count;
  }
}
