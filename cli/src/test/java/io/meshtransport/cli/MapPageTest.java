// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.cli.map.MapServer;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page of {@link MapServer} in a real browser, with a cable cut under it. */
@Tag("slow")
class MapPageTest {
  private static final Pattern URL = Pattern.compile("http://[^ ]+");
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String PICTURE = "document.getElementById('map').textContent";
  private static final String CROSSES =
      "document.querySelectorAll('#map svg path[stroke=\"#c62828\"]').length";

  private final List<Process> running = new ArrayList<>();

  private Process mesh(Fabric fabric, String node, String... words) throws IOException {
    NodeJvm jvm =
        new NodeJvm(Map.of(), List.of("-XX:TieredStopAtLevel=1"), false)
            .running(MeshMain.class.getName(), "-Xmx64m");
    ProcessBuilder builder = jvm.command(node, fabric.settings(node), words);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    Process process = fabric.start(node, builder);
    running.add(process);
    return process;
  }

  private static String url(Process server) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher found = URL.matcher(line);
      if (found.find()) {
        return found.group();
      }
    }
    throw new IOException("./mesh map --serve has ended");
  }

  private static void await(Callable<Boolean> what) {
    Awaitility.await().atMost(SOON).until(what);
  }

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldRedrawWithoutAReloadWhenACableIsCut(@TempDir Path folder) throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces().or(Browser::obstacle);
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      mesh(fabric, "b", "up");
      mesh(fabric, "c", "up");
      String url = url(mesh(fabric, "a", "map", "--serve", "0"));
      try (Browser browser = Browser.open(fabric, "a", folder, url)) {
        await(() -> browser.evaluate(PICTURE).contains("3 nodes, 3 cables: 3 up"));
        String whole = browser.evaluate(CROSSES);
        browser.evaluate("window.isTheSamePage = true");
        fabric.cut(fabric.topology().cables().get(0));
        await(() -> browser.evaluate(PICTURE).contains("3 nodes, 3 cables: 2 up, 1 CUT"));
        assertEquals("true", browser.evaluate("window.isTheSamePage"));
        assertEquals("0", whole);
        assertEquals("2", browser.evaluate(CROSSES), "one at each side of its label");
        String screenshot = System.getProperty("mesh.test.screenshot", "");
        if (!screenshot.isEmpty()) {
          browser.screenshot(Path.of(screenshot));
        }
        fabric.mend(fabric.topology().cables().get(0));
        await(() -> browser.evaluate(PICTURE).contains("3 nodes, 3 cables: 3 up"));
      }
    } finally {
      running.forEach(Process::destroyForcibly);
      running.forEach(each -> each.onExit().join());
    }
  }
}
