// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.nic.Gid;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The values that cross the module's border are checked when they are made. */
class ValuesTest {
  @Test
  void shouldReadANodeIdBackFromItsText() {
    NodeId id = NodeId.random(new SecureRandom());
    assertEquals(id, NodeId.parse(id.toString()));
    assertEquals(Samples.SENDER, NodeId.parse("101112131415161718191A1B1C1D1E1F"));
    assertEquals("10111213", Samples.SENDER.brief());
    for (String bad : new String[] {"", "xyz", id + "0", "g".repeat(32), "-" + "1".repeat(31)}) {
      assertThrows(IllegalArgumentException.class, () -> NodeId.parse(bad), bad);
    }
  }

  private static QueuePairAddress endpoint(int qpn, int psn, int mtu, int port, int parameters) {
    return new QueuePairAddress(qpn, psn, Gid.ZERO, mtu, port, new byte[parameters]);
  }

  @Test
  void shouldRefuseEndpointsThatNoWireCarries() {
    endpoint(
        QueuePairAddress.MAX_24_BIT, QueuePairAddress.MAX_24_BIT, Integer.MAX_VALUE, 65_535, 256);
    assertThrows(IllegalArgumentException.class, () -> endpoint(1 << 24, 0, 1, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> endpoint(-1, 0, 1, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> endpoint(0, 1 << 24, 1, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> endpoint(0, 0, 0, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> endpoint(0, 0, 1, 65_536, 0));
    assertThrows(IllegalArgumentException.class, () -> endpoint(0, 0, 1, 0, 257));
  }

  @Test
  void shouldKeepTheParametersOfAnEndpointToItself() {
    byte[] given = {1, 2, 3};
    QueuePairAddress endpoint = new QueuePairAddress(1, 1, Gid.ZERO, 1, 1, given);
    given[0] = 9;
    endpoint.parameters()[1] = 9;
    QueuePairAddress same = new QueuePairAddress(1, 1, Gid.ZERO, 1, 1, new byte[] {1, 2, 3});
    assertEquals(same, endpoint);
    assertEquals(same.hashCode(), endpoint.hashCode());
    assertNotEquals(new QueuePairAddress(1, 1, Gid.ZERO, 1, 1, new byte[] {1, 2}), endpoint);
  }

  @Test
  void shouldRefuseSettingsOutOfBounds() {
    Optional<SharedSecret> none = Optional.empty();
    new HandshakeSettings(65_535, 3_600_000, 1000, 65_536, none);
    assertThrows(
        IllegalArgumentException.class, () -> new HandshakeSettings(65_536, 1, 0, 1, none));
    assertThrows(IllegalArgumentException.class, () -> new HandshakeSettings(0, 0, 0, 1, none));
    assertThrows(IllegalArgumentException.class, () -> new HandshakeSettings(0, 1, -1, 1, none));
    assertThrows(IllegalArgumentException.class, () -> new HandshakeSettings(0, 1, 0, 0, none));
    assertThrows(IllegalArgumentException.class, () -> SharedSecret.of(""));
  }

  @Test
  void shouldRefuseAConnectToNowhere() {
    for (InetSocketAddress nowhere :
        new InetSocketAddress[] {
          InetSocketAddress.createUnresolved("peer", 1), new InetSocketAddress(TestNode.LOOPBACK, 0)
        }) {
      assertThrows(
          IllegalArgumentException.class,
          () ->
              new ConnectRequest(
                  TestNode.LOOPBACK, nowhere, Samples.SENDER, 0, 0, Samples.ENDPOINT, 0));
    }
  }

  @Test
  void shouldNeverShowTheSecret() {
    SharedSecret secret = SharedSecret.of("correct horse");
    assertFalse(secret.toString().contains("horse"));
    assertFalse(HandshakeSettings.DEFAULT.withSecret(secret).toString().contains("horse"));
  }

  @Test
  void shouldExplainEveryReasonAndEveryCounter() {
    Set<Integer> codes = new HashSet<>();
    for (Reason reason : Reason.values()) {
      assertTrue(reason.description().matches(".*[.?]"), reason.name());
      assertTrue(!reason.isTold() || codes.add(reason.code()), "two reasons of one code");
    }
    for (Counter counter : Counter.values()) {
      assertFalse(counter.description().isBlank(), counter.name());
    }
    assertTrue(Reason.BUSY.retryHelps());
    assertFalse(Reason.SECRET_MISMATCH.retryHelps());
  }
}
