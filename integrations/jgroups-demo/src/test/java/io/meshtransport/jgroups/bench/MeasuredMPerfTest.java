// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests also {@link DeliveryClock}, {@link PerfProgram} and {@link SentAt}. */
@Tag("slow")
class MeasuredMPerfTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int SECONDS = 4;

  private MeasuredMPerf coordinator;
  private MeasuredMPerf member;

  @BeforeEach
  void create() throws Exception {
    coordinator = new MeasuredMPerf();
    member = new MeasuredMPerf();
  }

  @AfterEach
  void leave() {
    member.leave();
    coordinator.leave();
  }

  /** A member that joins requests the coordinator's settings, and the answer may come any time. */
  @Test
  void shouldKeepItsLoadWhateverTheCoordinatorAnswers(@TempDir Path folder) throws Exception {
    Path recording = folder.resolve("b.jfr");
    coordinator.prepare(new Load(1024, 2, 0, SECONDS / 2), Optional.empty());
    member.prepare(new Load(1024, 2, 0, SECONDS), Optional.of(recording));
    join(coordinator, "a");
    join(member, "b");
    coordinator.awaitMembers(2, LIMIT);
    member.awaitMembers(2, LIMIT);

    coordinator.runTest();

    Figures figures = member.report(LIMIT);
    assertTrue(figures.nanos() >= TimeUnit.SECONDS.toNanos(SECONDS), figures.toString());
    assertTrue(
        figures.operations() > 0 && figures.processors().workNanos() > 0, figures.toString());
    assertEquals(Set.of("delivery"), figures.latencies().keySet());
    assertTrue(figures.latencies().get("delivery").count() > 0);
    assertTrue(!RecordingFile.readAllEvents(recording).isEmpty(), "of what it did meanwhile");
  }

  private static void join(MeasuredMPerf program, String name) throws Exception {
    program.join(MeasuredMPerfTest.class.getResource("one-jvm.xml").toURI().getPath(), name);
  }
}
