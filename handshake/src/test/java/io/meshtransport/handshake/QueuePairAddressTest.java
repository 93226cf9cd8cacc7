// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.nic.Gid;
import org.junit.jupiter.api.Test;

class QueuePairAddressTest {
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
    assertThrows(IllegalArgumentException.class, () -> endpoint(0, 0, 1, 0, 513));
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
}
