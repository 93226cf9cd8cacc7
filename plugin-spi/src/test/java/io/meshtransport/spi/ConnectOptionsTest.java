// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests {@link ConnectOptions}. */
class ConnectOptionsTest {
  @Test
  void shouldBeginWithTheDefaults() {
    ConnectOptions options = ConnectOptions.DEFAULT;
    assertEquals(0, options.hello().length);
    assertEquals(SendChannel.NO_DEADLINE, options.deadlineNs());
    assertEquals(SendMode.LATENCY, options.sendMode());
    assertEquals(Optional.empty(), options.preferredAddress());
  }

  @Test
  void shouldChangeOneThingAndKeepTheOthers() {
    InetAddress address = InetAddress.getLoopbackAddress();
    ConnectOptions options =
        ConnectOptions.DEFAULT
            .hello(new byte[] {1, 2})
            .deadline(Duration.ofSeconds(3))
            .sendMode(SendMode.STREAM)
            .preferredAddress(address);
    for (ConnectOptions each :
        new ConnectOptions[] {
          options,
          options.hello(options.hello()),
          options.deadline(Duration.ofSeconds(3)),
          options.sendMode(SendMode.STREAM),
          options.preferredAddress(address)
        }) {
      assertArrayEquals(new byte[] {1, 2}, each.hello());
      assertEquals(3_000_000_000L, each.deadlineNs());
      assertEquals(SendMode.STREAM, each.sendMode());
      assertEquals(Optional.of(address), each.preferredAddress());
    }
    assertEquals(0, ConnectOptions.DEFAULT.hello().length);
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
    assertThrows(NullPointerException.class, () -> options.sendMode(null));
    assertThrows(NullPointerException.class, () -> options.preferredAddress(null));
  }

  @Test
  void shouldTreatEndlessDeadlinesAsNone() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    assertEquals(SendChannel.NO_DEADLINE, ConnectOptions.DEFAULT.deadline(endless).deadlineNs());
  }
}
