// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraphFileTest {
  @Test
  void shouldReadCablesLimitsAndComments() throws IOException {
    String text =
        """
        # a pair
        b a 2.5Gb/s 1.5us   # the fast one
        a b 100Mb/s 1ms

        a limit 2Gb/s
        """;
    assertEquals(
        new LinkGraph(
            List.of("a", "b"),
            List.of(
                new GraphLink(0, 1, 12_500_000, 1_000_000), new GraphLink(0, 1, 312_500_000, 1500)),
            List.of(250_000_000L, 0L)),
        GraphFile.read("pair", text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a b 1Gb/s | pair, line 2: 'a b 1Gb/s' is neither a cable, as in `a b 100Gb/s 5us`, nor a limit, as in `a limit 150Gb/s`",
        "a b 1Gbps 1us | pair, line 2: '1Gbps' is no number with one of the units [Gb/s, Mb/s, Tb/s, kb/s]",
        "a b 1Gb/s -1us | pair, line 2: '-1us' is no number with one of the units [ms, ns, us]",
        "a a 1Gb/s 1us | pair: a link needs two ranks: 0 and 0",
        "a b 0Gb/s 100000ms | pair: link 0-1: a latency of 100000000000 ns is not within 0 to 10000000000"
      })
  void shouldSayInWhichLineSomethingIsWrong(String line, String message) {
    assertEquals(
        message,
        assertThrows(IOException.class, () -> GraphFile.read("pair", "#\n" + line)).getMessage());
  }
}
