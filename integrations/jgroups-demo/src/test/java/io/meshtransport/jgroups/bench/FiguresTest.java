// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.bench.ProcessorTime;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FiguresTest {
  /** Two digits are kept. */
  private static final double WITHIN = 0.01;

  private final DeliveryLatencies upToOneMillisecond =
      DeliveryLatencies.of(
          LongStream.rangeClosed(1, 1000).map(micros -> micros * 1000).boxed().toList());

  @Test
  void shouldFindPercentilesInMicroseconds() {
    assertEquals(500, upToOneMillisecond.micros(50), 500 * WITHIN);
    assertEquals(990, upToOneMillisecond.micros(99), 990 * WITHIN);
  }

  @Test
  void shouldKeepEveryValueWhenMembersAreAdded() {
    DeliveryLatencies slow = DeliveryLatencies.of(List.of(5_000_000L, 5_000_000L));

    DeliveryLatencies both = upToOneMillisecond.plus(slow);

    assertEquals(1002, both.count());
    assertEquals(5000, both.micros(100), 5000 * WITHIN);
    assertEquals(1000, upToOneMillisecond.count(), "a sum leaves its parts alone");
  }

  @Test
  void shouldReportTheRateOfOneMemberWhenMembersAreAdded() {
    Figures fast =
        new Figures(
            300,
            1_000_000_000,
            new ProcessorTime(3_000_000, 1_000_000),
            Map.of("read", upToOneMillisecond));
    Figures slow =
        new Figures(
            100,
            1_000_000_000,
            new ProcessorTime(7_000_000, 1_000_000),
            Map.of("write", upToOneMillisecond));

    Figures both = fast.plus(slow);

    assertEquals(200, both.rate(), 1e-9);
    assertEquals(0.2, both.processors().compilerShare(), 1e-9);
    assertEquals(20, both.processorMicros(), 1e-9);
    assertEquals(java.util.Set.of("read", "write"), both.latencies().keySet());
  }

  @Test
  @Tag("slow")
  void shouldPassThroughThePipe() throws Exception {
    ObjectMapper json = new ObjectMapper();
    PerfEvent sent =
        new PerfEvent.Measured(
            new Figures(7, 9, new ProcessorTime(5, 2), Map.of("delivery", upToOneMillisecond)));

    PerfEvent heard = json.readValue(json.writeValueAsString(sent), PerfEvent.class);

    Figures figures = ((PerfEvent.Measured) heard).figures();
    assertEquals(7, figures.operations());
    assertEquals(9, figures.nanos());
    assertEquals(new ProcessorTime(5, 2), figures.processors());
    assertEquals(1000, figures.latencies().get("delivery").count());
    assertEquals(
        upToOneMillisecond.micros(99), figures.latencies().get("delivery").micros(99), 1e-9);
  }

  @Test
  void shouldRefuseWhatIsNoHistogram() {
    assertThrows(IllegalArgumentException.class, () -> DeliveryLatencies.parse("AAAA"));
    assertThrows(IllegalArgumentException.class, () -> DeliveryLatencies.parse("not base64!"));
  }

  @Test
  void shouldRefuseFiguresOfNoTime() {
    assertThrows(
        IllegalArgumentException.class, () -> new Figures(1, 0, new ProcessorTime(0, 0), Map.of()));
  }
}
