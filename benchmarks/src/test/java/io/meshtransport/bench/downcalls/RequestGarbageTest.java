// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.verbs.SendOpcode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request of any kind leaves nothing to the collector once its code is warm, from the post to
 * both completions, on either provider, in the caller's thread and in the device's own.
 */
class RequestGarbageTest {
  /** The code is warmed up meanwhile. */
  private static final int MAX_PASSES = 40;

  private static final int ROUNDS = 400;
  private static NullLibrary library;

  static Stream<Arguments> providersAndKinds() {
    return Stream.of("ibverbs", "soft")
        .flatMap(
            provider ->
                Arrays.stream(SendOpcode.values()).map(kind -> Arguments.of(provider, kind)));
  }

  @BeforeAll
  static void compile() throws IOException {
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
  @Tag("slow")
  void shouldLeaveNothingToTheCollector(String provider, SendOpcode kind) throws Exception {
    RequestKinds benchmark = new RequestKinds();
    benchmark.provider = provider;
    benchmark.kind = kind;
    benchmark.open();
    try {
      AllocationCounter counter = AllocationCounter.ofThisThreadAnd("mesh-soft");
      // Fewer bytes than requests.
      counter.expectFewerBytes(
          ROUNDS * QueuePairEnd.CHAIN,
          MAX_PASSES,
          () -> {
            for (int round = 0; round < ROUNDS; round++) {
              benchmark.requests();
            }
          });
    } finally {
      benchmark.close();
    }
  }
}
