// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Transport;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;

/** A name that is no setting is reported where a program has not configured its log. */
class MisnamedSettingTest {
  private static final String NO_EFFECT = " is not a setting, so it has no effect";

  private static Transport open(CapturedLog log, String setting) throws Exception {
    Map<String, String> settings =
        Map.of(
            "MESH_LOOPBACK",
            "127.77.1.1/24",
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_DATA_PORT",
            "0",
            setting,
            "3");
    Transport transport = Transport.open(settings);
    assertTrue(
        log.lines().stream()
            .anyMatch(
                each ->
                    each.level() == Level.ERROR
                        && each.text().startsWith(setting)
                        && each.text().contains("; did you mean MESH_GID_INDEX?")),
        () -> transport + ": " + log.lines());
    return transport;
  }

  /**
   * Log4j prints ERROR and nothing below, with log4j-core as without. Each name is of this test
   * alone, as the process remembers them.
   */
  @Test
  void shouldSayAtErrorAndOnceThatASettingHasNoEffect() throws Exception {
    try (CapturedLog log = new CapturedLog(MeshTransportProvider.class);
        Transport first = open(log, "MESH_GID_IDNEX");
        Transport same = open(log, "MESH_GID_IDNEX");
        Transport other = open(log, "MESH_GID_INDXE")) {
      List<String> said =
          log.lines().stream()
              .map(CapturedLog.Line::text)
              .filter(
                  each -> each.contains(NO_EFFECT) && each.matches(".*MESH_GID_(IDNEX|INDXE).*"))
              .toList();
      assertEquals(2, said.size(), () -> first + ", " + same + ", " + other + ": " + said);
    }
  }

  @Test
  void shouldRememberSoManyWarningsAndLogTheOthersEachTime() {
    LoggedWarnings warnings = new LoggedWarnings();
    List<String> many = IntStream.range(0, LoggedWarnings.MAX).mapToObj(String::valueOf).toList();
    assertEquals(many, warnings.add(many));
    assertEquals(List.of(), warnings.add(many));
    assertEquals(List.of("new"), warnings.add(List.of("0", "new")));
    assertEquals(List.of("new"), warnings.add(List.of("new")));
  }
}
