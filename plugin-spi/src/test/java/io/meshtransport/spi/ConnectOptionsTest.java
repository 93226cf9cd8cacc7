// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link ConnectOptions}. */
class ConnectOptionsTest {
  @Test
  void shouldBeginWithTheDefaults() {
    ConnectOptions options = ConnectOptions.DEFAULT;
    assertEquals(0, options.hello().length);
    assertEquals("", options.name());
    assertEquals(OptionalLong.empty(), options.deadlineNs());
    assertEquals(OptionalInt.empty(), options.trafficClass());
    assertEquals(OptionalInt.empty(), options.serviceLevel());
    assertEquals(SendMode.LATENCY, options.sendMode());
    assertEquals(Transport.MAX_REQUESTS, options.requests());
    assertEquals(Optional.empty(), options.preferredAddress());
    assertEquals(RelayPolicy.FALLBACK, options.relay());
    assertEquals(OptionalInt.empty(), options.rails());
    assertTrue(options.isListed());
  }

  @Test
  void shouldChangeOneThingAndKeepTheOthers() {
    InetAddress address = InetAddress.getLoopbackAddress();
    ConnectOptions options =
        ConnectOptions.DEFAULT
            .name("bulk")
            .hello(new byte[] {1, 2})
            .requests(1000)
            .trafficClass(104)
            .serviceLevel(3)
            .deadline(Duration.ofSeconds(3))
            .sendMode(SendMode.STREAM)
            .relay(RelayPolicy.NEVER)
            .rails(2)
            .unlisted()
            .preferredAddress(address);
    for (ConnectOptions each :
        new ConnectOptions[] {
          options,
          options.name("bulk"),
          options.requests(1000),
          options.trafficClass(104),
          options.serviceLevel(3),
          options.hello(options.hello()),
          options.deadline(Duration.ofSeconds(3)),
          options.sendMode(SendMode.STREAM),
          options.relay(RelayPolicy.NEVER),
          options.rails(2),
          options.unlisted(),
          options.preferredAddress(address)
        }) {
      assertArrayEquals(new byte[] {1, 2}, each.hello());
      assertEquals("bulk", each.name());
      assertEquals(1000, each.requests());
      assertEquals(OptionalInt.of(104), each.trafficClass());
      assertEquals(OptionalInt.of(3), each.serviceLevel());
      assertEquals(OptionalLong.of(3_000_000_000L), each.deadlineNs());
      assertEquals(SendMode.STREAM, each.sendMode());
      assertEquals(Optional.of(address), each.preferredAddress());
      assertEquals(RelayPolicy.NEVER, each.relay());
      assertEquals(OptionalInt.of(2), each.rails());
      assertFalse(each.isListed());
    }
    assertEquals(0, ConnectOptions.DEFAULT.hello().length);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 5})
  void shouldRefuseANumberOfRailsThatCannotBe(int wrong) {
    String text =
        assertThrows(IllegalArgumentException.class, () -> ConnectOptions.DEFAULT.rails(wrong))
            .getMessage();
    assertEquals(wrong + " rails; it must be 1 to 4", text);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 4097, Integer.MAX_VALUE})
  void shouldRefuseANumberOfRequestsThatCannotBe(int wrong) {
    String text =
        assertThrows(IllegalArgumentException.class, () -> ConnectOptions.DEFAULT.requests(wrong))
            .getMessage();
    assertTrue(text.contains(wrong + " requests") && text.contains("1 to 4096"), text);
    assertEquals(1, ConnectOptions.DEFAULT.requests(1).requests());
    assertEquals(4096, ConnectOptions.DEFAULT.requests(4096).requests());
  }

  @Test
  void shouldCopyTheHello() {
    byte[] hello = {1};
    ConnectOptions options = ConnectOptions.DEFAULT.hello(hello);
    hello[0] = 2;
    options.hello()[0] = 3;
    assertArrayEquals(new byte[] {1}, options.hello());
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    ConnectOptions options = ConnectOptions.DEFAULT;
    assertEquals(256, options.hello(new byte[256]).hello().length);
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> options.hello(new byte[257]))
            .getMessage()
            .contains("257"));
    assertThrows(IllegalArgumentException.class, () -> options.deadline(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> options.deadline(Duration.ofNanos(-1)));
    assertEquals(64, options.name("\u00e4".repeat(32)).name().length() * 2);
    assertThrows(IllegalArgumentException.class, () -> options.name("\u00e4".repeat(33)));
    assertThrows(IllegalArgumentException.class, () -> options.name("a\nb"));
    assertEquals(OptionalInt.of(255), options.trafficClass(255).trafficClass());
    assertThrows(IllegalArgumentException.class, () -> options.trafficClass(256));
    assertThrows(IllegalArgumentException.class, () -> options.trafficClass(-1));
    assertEquals(OptionalInt.of(15), options.serviceLevel(15).serviceLevel());
    assertThrows(IllegalArgumentException.class, () -> options.serviceLevel(16));
    assertThrows(IllegalArgumentException.class, () -> options.serviceLevel(-1));
    assertThrows(NullPointerException.class, () -> options.sendMode(null));
    assertThrows(NullPointerException.class, () -> options.preferredAddress(null));
  }

  @Test
  void shouldTreatEndlessDeadlinesAsNone() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    OptionalLong none = OptionalLong.of(SendChannel.NO_DEADLINE);
    assertEquals(none, ConnectOptions.DEFAULT.deadline(endless).deadlineNs());
    assertEquals(none, ConnectOptions.DEFAULT.withoutDeadline().deadlineNs());
  }
}
