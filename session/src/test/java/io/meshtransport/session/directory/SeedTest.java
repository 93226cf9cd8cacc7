// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SeedTest {
  @ParameterizedTest
  @CsvSource({
    "10.77.1.2, 10.77.1.2, 4791",
    "10.77.1.2:1, 10.77.1.2, 1",
    "10.77.1.2[65535], 10.77.1.2, 65535",
    "node-b.example, node-b.example, 4791",
    "node-b:7800, node-b, 7800",
    "node-b[7800], node-b, 7800",
    "[fe80::1%eth0]:7800, fe80::1%eth0, 7800",
    "[fe80::1%eth0], fe80::1%eth0, 4791",
    "[fe80::1][7800], fe80::1, 7800",
    "fe80::1%eth0.100, fe80::1%eth0.100, 4791",
    "::1, ::1, 4791",
    "::ffff:10.77.1.2, ::ffff:10.77.1.2, 4791",
  })
  void shouldReadEveryNotationOfAnAddress(String text, String host, int port) {
    assertEquals(List.of(new Seed(host, port)), Seed.parse(text, 4791));
  }

  @Test
  void shouldReadSeveralInOrderAndEachOnce() {
    assertEquals(
        List.of(new Seed("a", 4791), new Seed("b", 1), new Seed("a", 2)),
        Seed.parse(" a , b:1,, a:4791 ,a[2], ", 4791));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ",", " , ,"})
  void shouldReadNothingAsNoSeeds(String text) {
    assertEquals(List.of(), Seed.parse(text, 4791));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a:0",
        "a:65536",
        "a:99999",
        "a:",
        "a:x",
        "a:123456",
        ":4791",
        "[]:4791",
        "[ ]",
        "[ ]:1",
        "[fe80::1",
        "fe80::1]",
        "[a]b",
        "a[1",
        "a[1]:2",
        "node:80:90",
        "a:-1",
        "a[]"
      })
  void shouldRefuseAndNameWhatItCannotRead(String text) {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> Seed.parse("ok," + text, 4791));
    assertTrue(refusal.getMessage().contains("'" + text + "'"), refusal.getMessage());
  }

  @Test
  void shouldAcceptSixtyFourSeedsAndNoMore() {
    assertEquals(Seed.MAX_SEEDS, Seed.parse(seeds(Seed.MAX_SEEDS), 1).size());
    assertThrows(IllegalArgumentException.class, () -> Seed.parse(seeds(Seed.MAX_SEEDS + 1), 1));
  }

  private static String seeds(int count) {
    return IntStream.range(0, count).mapToObj(n -> "n" + n).collect(Collectors.joining(","));
  }

  @Test
  void shouldBeReadAgainAsItIsWritten() {
    for (Seed seed : Seed.parse("10.77.1.2, host:1, fe80::1%eth0, [::1]:7", 4791)) {
      assertEquals(List.of(seed), Seed.parse(seed.toString(), 9));
    }
  }

  @Test
  void shouldKnowTheAddressOfANumber() throws UnknownHostException {
    assertEquals(
        List.of(new InetSocketAddress(InetAddress.getByName("10.77.1.2"), 7)),
        new Seed("10.77.1.2", 7).addresses());
  }
}
