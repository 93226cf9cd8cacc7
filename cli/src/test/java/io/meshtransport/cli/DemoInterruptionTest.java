// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Topologies;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A demo in a process of its own, which gets a SIGTERM in the middle. */
class DemoInterruptionTest {
  @Test
  @Tag("slow")
  void shouldEndWithOneVerdictWhenInterrupted() throws IOException {
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                MeshMain.class.getName(),
                "demo",
                "--topology",
                Topologies.LOOPBACK.name())
            .redirectErrorStream(true)
            .start();
    BufferedReader said =
        new BufferedReader(new InputStreamReader(demo.getInputStream(), StandardCharsets.UTF_8));
    assertTrue(said.lines().anyMatch(line -> line.contains("every node connects")));

    // Process.destroy() would close the stream that is still to be read.
    demo.toHandle().destroy();

    List<String> rest = said.lines().toList();
    assertEquals("demo: FAIL: interrupted", rest.get(rest.size() - 1), rest.toString());
    assertFalse(rest.stream().anyMatch(line -> line.contains("ENDED")), rest.toString());
    assertTrue(demo.onExit().join().exitValue() != 0);
  }
}
