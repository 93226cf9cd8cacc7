// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Transport;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;

/** A name that is no setting is reported where a program has not configured its log. */
class MisnamedSettingTest {
  /** Log4j prints ERROR and nothing below, with log4j-core as without. */
  @Test
  void shouldSayAtErrorThatASettingHasNoEffect() throws Exception {
    try (CapturedLog log = new CapturedLog(MeshTransportProvider.class);
        Transport transport =
            Transport.open(
                Map.of(
                    "MESH_LOOPBACK", "127.77.1.1/24",
                    "MESH_HANDSHAKE_PORT", "0",
                    "MESH_DATA_PORT", "0",
                    "MESH_GID_IDNEX", "3"))) {
      assertTrue(
          log.lines().stream()
              .anyMatch(
                  each ->
                      each.level() == Level.ERROR
                          && each.text().contains("did you mean MESH_GID_INDEX?")),
          () -> transport + ": " + log.lines());
    }
  }
}
