// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.calls;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.meshtransport.verbs.SendOpcode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request of any kind leaves nothing to the collector once its code is warm, from the post to
 * both completions, on either provider, in the caller's thread and in the device's own.
 */
class RequestGarbageTest {
  /** Code gets warm on the way: the best pass counts. */
  private static final int MOST_PASSES = 40;

  private static final int ROUNDS = 400;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static NullLibrary library;

  static Stream<Arguments> providersAndKinds() {
    return Stream.of("ibverbs", "soft")
        .flatMap(
            provider ->
                Arrays.stream(SendOpcode.values()).map(kind -> Arguments.of(provider, kind)));
  }

  @BeforeAll
  static void compile() throws IOException {
    assumeTrue(THREADS.isThreadAllocatedMemorySupported(), "this JVM counts no allocations");
    assumeTrue(
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gcc"))),
        "gcc is not there to compile the library without a device");
    library = NullLibrary.compile();
    System.setProperty(NullLibrary.PROPERTY, library.file().toString());
  }

  @AfterAll
  static void delete() throws IOException {
    System.clearProperty(NullLibrary.PROPERTY);
    if (library != null) {
      library.close();
    }
  }

  @ParameterizedTest
  @MethodSource("providersAndKinds")
  void shouldLeaveNothingToTheCollector(String provider, SendOpcode kind) throws Exception {
    RequestKinds benchmark = new RequestKinds();
    benchmark.provider = provider;
    benchmark.kind = kind;
    benchmark.open();
    try {
      // Once: looking for them makes garbage itself.
      long[] threads = ownAndDevices();
      List<Long> passes = new ArrayList<>();
      // Less than a byte each: the smallest object would be sixteen.
      while (passes.size() < MOST_PASSES && !hasCleanPass(passes)) {
        long before = allocatedBytes(threads);
        for (int round = 0; round < ROUNDS; round++) {
          benchmark.requests();
        }
        passes.add(allocatedBytes(threads) - before);
      }
      assertTrue(
          hasCleanPass(passes),
          () -> passes + " bytes, each in " + ROUNDS * QueuePairEnd.CHAIN + " requests");
    } finally {
      benchmark.close();
    }
  }

  private static boolean hasCleanPass(List<Long> passes) {
    return passes.stream().anyMatch(bytes -> bytes < ROUNDS * QueuePairEnd.CHAIN);
  }

  /** This thread and those that soft devices have. */
  private static long[] ownAndDevices() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread -> thread == Thread.currentThread() || thread.getName().startsWith("mesh-soft"))
        .mapToLong(Thread::getId)
        .toArray();
  }

  private static long allocatedBytes(long[] threads) {
    long sum = 0;
    for (long bytes : THREADS.getThreadAllocatedBytes(threads)) {
      sum += bytes;
    }
    return sum;
  }
}
