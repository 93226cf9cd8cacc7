// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link WarmUp}, and the {@link BenchCase} that passes its remark on. */
class WarmUpTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private record Played(String name, String remark) implements MeasuredSystem {
    @Override
    public List<Double> measure(double seconds, int round) {
      return List.of(2.0);
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldEndOnceCompilersAreIdle() {
    ArrayDeque<Long> compilerMs = new ArrayDeque<>(List.of(900L, 400L, 100L, 7L));
    WarmUp warmUp =
        WarmUp.untilCompiled(SECOND, () -> TimeUnit.MILLISECONDS.toNanos(compilerMs.remove()));
    assertEquals(new WarmUp(SECOND, 3, 0.1), warmUp);
    assertEquals("", warmUp.remark());
    assertEquals("", WarmUp.NONE.remark());
  }

  @Test
  void shouldSayThatCompilersWereBusyToTheLast() {
    WarmUp warmUp = WarmUp.untilCompiled(SECOND, () -> TimeUnit.MILLISECONDS.toNanos(440));
    assertEquals(WarmUp.MAX_TIMES, warmUp.times());
    assertEquals(
        "compilers took 44 % of a processor still in the last of 10 warm-ups of 1.0 s; measure with a longer --warm-up",
        warmUp.remark());
  }

  @Test
  void shouldReportARemarkOnce() {
    List<String> lines = new ArrayList<>();
    new BenchCase(
            "30 connections",
            List.of(Metric.LATENCY),
            new Played("ours", ""),
            List.of(new Played("theirs", "compilers are busy")))
        .run(2, 1, lines::add);
    assertEquals(3, lines.size(), lines.toString());
    assertEquals("30 connections: theirs: compilers are busy", lines.get(1));
  }
}
