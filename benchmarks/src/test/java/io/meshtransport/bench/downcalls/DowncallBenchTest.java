// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.verbs.SendOpcode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The benchmarks do what they measure, and JMH runs them from this class path. */
class DowncallBenchTest {
  private static final int ROUNDS = 50;
  private static NullLibrary library;

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

  @Test
  void shouldReportOnePostsAndPollsCompletionsForEachRequest() throws Exception {
    PostAndPoll benchmark = new PostAndPoll();
    benchmark.open();
    try {
      assertEquals(1, benchmark.callsSingly());
      assertEquals(QueuePairEnd.CHAIN, benchmark.callsInChains());
      assertEquals(1, benchmark.receiveSingly());
      assertEquals(QueuePairEnd.CHAIN, benchmark.receivesInChains());
      // The device touches no completion: ids and lengths stay 0.
      assertEquals(0, benchmark.messageSingly() + benchmark.messagesInChains());
    } finally {
      benchmark.close();
    }
  }

  @ParameterizedTest
  @EnumSource(SendOpcode.class)
  void shouldCompleteRequestsOfEachKindWithoutADevice(SendOpcode kind) throws Exception {
    assertEquals(expected(kind), requests("ibverbs", kind));
  }

  @ParameterizedTest
  @EnumSource(SendOpcode.class)
  void shouldCompleteRequestsOfEachKindInSoftware(SendOpcode kind) throws Exception {
    // What the sender's completions say of the length is up to the provider.
    assertTrue(requests("soft", kind) >= ids(kind));
  }

  /** Ids of both ends, and eight bytes for each completion. */
  private static long expected(SendOpcode kind) {
    return ids(kind) + ends(kind) * QueuePairEnd.CHAIN * Long.BYTES;
  }

  private static long ids(SendOpcode kind) {
    return ends(kind) * QueuePairEnd.CHAIN * (QueuePairEnd.CHAIN - 1L) / 2;
  }

  private static long ends(SendOpcode kind) {
    return switch (kind) {
      case SEND, SEND_WITH_IMM, RDMA_WRITE_WITH_IMM -> 2;
      default -> 1;
    };
  }

  private static long requests(String provider, SendOpcode kind) throws Exception {
    RequestKinds benchmark = new RequestKinds();
    benchmark.provider = provider;
    benchmark.kind = kind;
    benchmark.open();
    try {
      long sum = 0;
      for (int i = 0; i < ROUNDS; i++) {
        sum = benchmark.requests();
      }
      return sum;
    } finally {
      benchmark.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 4096})
  void shouldDeliverMessagesInEveryWay(int bytes) throws Exception {
    ChannelOperations benchmark = new ChannelOperations();
    benchmark.bytes = bytes;
    benchmark.open();
    try {
      for (int i = 0; i < ROUNDS; i++) {
        assertEquals(2L * bytes, benchmark.lone());
        assertEquals(2L * 64 * bytes, benchmark.window());
        assertEquals(2L * 64 * bytes, benchmark.windowInGroups());
      }
    } finally {
      benchmark.close();
    }
  }

  @Test
  @Tag("slow")
  void shouldMeasureByJmhInJvmsOfItsOwn() throws IOException {
    List<String> lines = new ArrayList<>();
    DowncallReport report =
        new DowncallBench(new DowncallPlan(1, 1, 1, 20, "PostAndPoll.callsInChains"), lines::add)
            .run("this machine");
    assertTrue(!report.figures().isEmpty(), lines::toString);
    for (Map.Entry<String, List<DowncallResult>> each : report.figures().entrySet()) {
      assertEquals(
          List.of("PostAndPoll.callsInChains"),
          each.getValue().stream().map(DowncallResult::name).toList(),
          each.getKey());
      assertTrue(each.getValue().get(0).nanos() > 0);
    }
    assertEquals("this machine", report.machine());
    assertEquals("target", report.cases().get(0).peerName());
  }

  @Test
  void shouldSayWhatIsMissing() {
    assertThrows(IllegalArgumentException.class, () -> new DowncallPlan(0, 1, 1, 1, ""));
    String file = System.clearProperty(NullLibrary.PROPERTY);
    try {
      IllegalStateException refusal =
          assertThrows(IllegalStateException.class, () -> NullLibrary.open("null0"));
      assertTrue(refusal.getMessage().contains(NullLibrary.PROPERTY), refusal.getMessage());
    } finally {
      System.setProperty(NullLibrary.PROPERTY, file);
    }
  }
}
