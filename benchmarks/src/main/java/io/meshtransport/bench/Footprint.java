// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What this process consumes while it does nothing.
 *
 * @param heapBytes that are reachable
 * @param directBytes of direct buffers
 * @param residentBytes of memory, all kinds together: VmRSS of proc(5)
 * @param descriptors open files and sockets
 * @param threads alive
 * @param processors part of one processor that it uses, its compilers left out
 */
record Footprint(
    long heapBytes,
    long directBytes,
    long residentBytes,
    int descriptors,
    int threads,
    double processors) {
  private static final Path SELF = Path.of("/proc/self");
  private static final String RESIDENT = "VmRSS:";
  private static final int KIB = 1 << 10;
  private static final int COLLECTIONS = 3;
  private static final int SETTLE_MS = 100;

  /**
   * Measures over a time of idling. Unreachable objects are collected first.
   *
   * @param idleMs how long
   */
  static Footprint measure(long idleMs) throws IOException, InterruptedException {
    collect();
    ProcessorTime before = ProcessorTime.now();
    long begin = System.nanoTime();
    TimeUnit.MILLISECONDS.sleep(idleMs);
    long nanos = System.nanoTime() - begin;
    // The compilers' time is counted in ticks of 10 ms, and may have one too many.
    long work = Math.max(0, ProcessorTime.now().since(before).workNanos());
    double processors = (double) work / nanos;
    return new Footprint(
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        ofDirectBuffers(),
        resident(),
        openDescriptors(),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        processors);
  }

  /** A direct buffer is given back by a thread that hears of it after a collection. */
  private static void collect() throws InterruptedException {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
    }
  }

  private static long ofDirectBuffers() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long resident() throws IOException {
    return Files.readAllLines(SELF.resolve("status")).stream()
        .filter(line -> line.startsWith(RESIDENT))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB)
        .findFirst()
        .orElseThrow();
  }

  private static int openDescriptors() throws IOException {
    try (Stream<Path> open = Files.list(SELF.resolve("fd"))) {
      return (int) open.count();
    }
  }
}
