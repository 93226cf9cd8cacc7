// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * In one JVM, where no call is lost; over cables {@code mesh bench jgroups} runs it.
 *
 * <p>Also tests {@link InvokerThreads}.
 */
@Timeout(120)
class MeasuredUPerfTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Load LOAD = new Load(1024, 2, 50, 1);

  private final MeasuredUPerf coordinator = new MeasuredUPerf();
  private final MeasuredUPerf member = new MeasuredUPerf();
  private final List<MeasuredUPerf> both = List.of(coordinator, member);

  @AfterEach
  void leave() {
    member.leave();
    coordinator.leave();
  }

  @Test
  @Tag("slow")
  void shouldCountAndTimeEachCallOfEachMember() throws Exception {
    join(coordinator, "a");
    join(member, "b");
    for (MeasuredUPerf each : both) {
      each.awaitMembers(2, LIMIT);
      each.prepare(LOAD, Optional.empty());
    }

    coordinator.runTest();

    for (MeasuredUPerf each : both) {
      Figures figures = each.report(LIMIT);
      assertTrue(figures.nanos() >= TimeUnit.SECONDS.toNanos(LOAD.seconds()), figures.toString());
      assertTrue(figures.processors().workNanos() > 0, figures.toString());
      assertEquals(Set.of("read", "write"), figures.latencies().keySet());
      long reads = figures.latencies().get("read").count();
      long writes = figures.latencies().get("write").count();
      assertTrue(reads > 0 && writes > 0, reads + " reads, " + writes + " writes");
      assertEquals(figures.operations(), reads + writes);
    }
  }

  private static void join(MeasuredUPerf program, String name) throws Exception {
    program.join(MeasuredUPerfTest.class.getResource("one-jvm.xml").toURI().getPath(), name);
  }
}
