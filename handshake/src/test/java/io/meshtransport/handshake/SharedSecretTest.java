// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class SharedSecretTest {
  private final SharedSecret secret = SharedSecret.of("0123456789abcdef");
  private final byte[] message = {1, 2, 3};

  @Test
  void shouldAuthenticateUnderALabel() throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec("0123456789abcdef".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    mac.update("mesh-transport other 1\0".getBytes(StandardCharsets.US_ASCII));
    byte[] expected = mac.doFinal(message);
    assertEquals(SharedSecret.MAC_BYTES, expected.length);
    assertArrayEquals(expected, secret.mac("other 1", message));
    assertFalse(Arrays.equals(expected, secret.mac("other 2", message)));
  }

  @Test
  void shouldRefuseTheLabelsOfTheHandshake() {
    assertThrows(
        IllegalArgumentException.class, () -> secret.mac("handshake 1 connector", message));
  }
}
