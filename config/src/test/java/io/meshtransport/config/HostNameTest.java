// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostNameTest {
  @ParameterizedTest
  @CsvSource({
    "node-a, node-a",
    "node-a.example.org, node-a",
    "'', unnamed",
    ".example, unnamed",
    "abcdefghijklmnopqrstuvwxyz0123456789, abcdefghijklmnopqrstuvwxyz012345",
    // Two bytes each: sixteen fit.
    "öööööööööööööööööööö, öööööööööööööööö",
  })
  void shouldShortenAHostNameToANodeName(String hostName, String nodeName) {
    assertEquals(nodeName, HostName.shorten(hostName));
  }

  @Test
  void shouldNotSplitACharacterInTwo() {
    assertEquals("a" + "😀".repeat(7), HostName.shorten("a" + "😀".repeat(8)));
  }

  @Test
  void shouldNameANodeAfterItsHostUnlessASettingNamesIt() {
    assertEquals(
        "box", new ConfigLoader(Map.of(), new Properties(), Map.of(), "box").load().node());
    assertEquals(
        "node-a",
        new ConfigLoader(Map.of("MESH_NODE", "node-a"), new Properties(), Map.of(), "box")
            .load()
            .node());
    assertFalse(MeshConfig.defaults().node().isEmpty());
  }
}
