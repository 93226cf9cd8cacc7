// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Processor time this process has taken since it began, in user space and in the kernel.
 *
 * @param allNanos all its threads
 * @param compilerNanos those of them that compile Java: what they take is the price of a fresh JVM,
 *     not of a message. Counted to 10 ms.
 */
public record ProcessorTime(long allNanos, long compilerNanos) {
  private static final Path THREADS = Path.of("/proc/self/task");

  /** USER_HZ, the unit of proc(5), is 100 on every architecture that has a JVM. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** Of utime, field 14 in proc(5), among those behind the name, which is field 2. */
  private static final int USER = 14 - 3;

  private static final int KERNEL = USER + 1;

  /** As of now. */
  public static ProcessorTime now() {
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new ProcessorTime(process.getProcessCpuTime(), ofCompilers());
  }

  /** The time consumed between an earlier snapshot and this one. */
  public ProcessorTime since(ProcessorTime earlier) {
    return new ProcessorTime(allNanos - earlier.allNanos, compilerNanos - earlier.compilerNanos);
  }

  /** That of two processes together. */
  public ProcessorTime plus(ProcessorTime other) {
    return new ProcessorTime(allNanos + other.allNanos, compilerNanos + other.compilerNanos);
  }

  /** What is not the compilers'. */
  public long workNanos() {
    return allNanos - compilerNanos;
  }

  /** The compilers' part, 0 to 1. */
  public double compilerShare() {
    return allNanos == 0 ? 0 : (double) compilerNanos / allNanos;
  }

  private static long ofCompilers() {
    try (Stream<Path> threads = Files.list(THREADS)) {
      return threads.mapToLong(ProcessorTime::ofCompiler).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(THREADS.toString(), e);
    }
  }

  private static long ofCompiler(Path thread) {
    try {
      return ofCompiler(Files.readString(thread.resolve("stat")));
    } catch (IOException e) {
      if (Files.notExists(thread)) {
        // It has ended since its folder was listed, or since the file was opened (ESRCH). JVMs
        // started for a comparison keep their compiler threads.
        return 0;
      }
      throw new UncheckedIOException(thread.toString(), e);
    }
  }

  /**
   * The processor time in a line of /proc/PID/task/TID/stat if the thread is a compiler's,
   * otherwise 0. HotSpot names them {@code C2 CompilerThread0}, of which the kernel keeps 15
   * characters.
   */
  static long ofCompiler(String stat) {
    String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    if (!name.matches("C[12] CompilerThre.*")) {
      return 0;
    }
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
    return (Long.parseLong(fields.get(USER)) + Long.parseLong(fields.get(KERNEL))) * NANOS_PER_TICK;
  }
}
