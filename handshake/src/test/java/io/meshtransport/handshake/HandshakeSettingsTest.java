// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Bounds of {@link HandshakeSettings} and of {@link SharedSecret}, which no text may show. */
class HandshakeSettingsTest {
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
  void shouldNeverShowTheSecret() {
    SharedSecret secret = SharedSecret.of("correct horse");
    assertFalse(secret.toString().contains("horse"));
    assertFalse(HandshakeSettings.DEFAULT.withSecret(secret).toString().contains("horse"));
  }
}
