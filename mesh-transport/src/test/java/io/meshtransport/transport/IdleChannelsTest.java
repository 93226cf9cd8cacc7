// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What channels cost that nobody uses: a bounded piece of memory, no thread, no processor. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleChannelsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int FEW = 50;
  private static final int MANY = 400;

  /** At each end; heap and direct buffers together. */
  private static final long MOST_BYTES = 16 << 10;

  private static final int ENDS = 2;

  /** Those of a transport that run callbacks come and go. */
  private static final int FEW_THREADS = 8;

  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

  /** Of a processor: whoever spins takes a whole one, and a cold JVM some thousandths. */
  private static final double MOST_PROCESSORS = 0.05;

  private static final int TRIES = 3;
  private static final int COLLECTIONS = 5;

  /** What a collection may free of what the JVM itself makes meanwhile. */
  private static final long NOTHING_BYTES = 64 << 10;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<AutoCloseable> channels = new ArrayList<>();
  private Transport from;
  private Transport to;
  private Listener listener;

  @BeforeEach
  void open() throws Exception {
    from = open(1);
    to = open(2);
    listener = to.listen();
    // What there is once and not for each channel: classes, threads, connections, pools.
    connect(FEW);
  }

  @AfterEach
  void close() {
    from.close();
    to.close();
  }

  private static Transport open(int node) throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            "127.77.63." + node + "/24",
            "MESH_HANDSHAKE_PORT",
            "0"));
  }

  private void connect(int count) throws TransportException {
    for (int i = 0; i < count; i++) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      channels.add(from.connect(listener.handle(), SOON));
      channels.add(accepting.await(SOON));
    }
  }

  @Test
  @Tag("slow")
  void shouldTakeLittleMemoryAndNoThreadForEach() throws Exception {
    int threadsBefore = threads().length;
    long bytes = bytesOfEach();
    for (int i = 1; i < TRIES && bytes <= 0; i++) {
      bytes = bytesOfEach();
    }
    assertTrue(bytes > 0, "what is measured is not what channels take: " + bytes);
    assertTrue(bytes <= MOST_BYTES, bytes + " bytes at each end of a channel");
    int threads = threads().length;
    assertTrue(threads <= threadsBefore + FEW_THREADS, threadsBefore + " threads, then " + threads);
  }

  /** More of what other tests have left may be freed meanwhile than all of these channels take. */
  private long bytesOfEach() throws Exception {
    long before = usedBytes();
    connect(MANY);
    return (usedBytes() - before) / (ENDS * MANY);
  }

  @Test
  @Tag("slow")
  void shouldLeaveTheProcessorsAlone() throws Exception {
    assumeTrue(THREADS.isThreadCpuTimeSupported(), "this JVM does not count threads' time");
    connect(FEW);
    long[] threads = threads();
    assertTrue(threads.length > 0);
    long before = cpuNs(threads);
    long startNs = System.nanoTime();
    for (long leftNs = IDLE_NS; leftNs > 0; leftNs = startNs + IDLE_NS - System.nanoTime()) {
      LockSupport.parkNanos(leftNs);
    }
    double processors = (double) (cpuNs(threads) - before) / (System.nanoTime() - startNs);
    assertTrue(processors < MOST_PROCESSORS, processors + " of a processor");
  }

  /** Those of the library, whatever they do. */
  private static long[] threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("mesh-"))
        .mapToLong(Thread::getId)
        .toArray();
  }

  private static long cpuNs(long[] threads) {
    long sum = 0;
    for (long thread : threads) {
      sum += Math.max(0, THREADS.getThreadCpuTime(thread));
    }
    return sum;
  }

  /**
   * That can be reached, on the heap and in direct buffers: once several collections in a row free
   * nothing more. What other tests have left is freed by cleaners, some time after a collection.
   */
  private static long usedBytes() {
    long least = Long.MAX_VALUE;
    for (int inVain = 0; inVain < COLLECTIONS; inVain++) {
      System.gc();
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + direct();
      if (used < least - NOTHING_BYTES) {
        inVain = -1;
      }
      least = Math.min(least, used);
    }
    return least;
  }

  private static long direct() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
