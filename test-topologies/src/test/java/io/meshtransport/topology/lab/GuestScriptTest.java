// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The script of a guest; bash parses it here, with the one of {@link InitrdBuilder}. */
class GuestScriptTest {
  private static String script(Topology topology, String node) {
    return new GuestScript(node, GuestNic.of(topology, node))
        .text(Path.of("/usr/lib/jvm/java/bin/java"), "/a b/x.jar:/y.jar");
  }

  @Test
  void shouldSetAddressesBeforeItAddsRdmaDevices() {
    String script = script(Topologies.TRIANGLE, "a");

    int lastAddress = script.lastIndexOf("say addr replace");
    assertTrue(script.contains("say addr replace 10.77.1.1/24 dev to-b\n"), script);
    assertTrue(script.contains("say addr replace 10.77.3.1/31 dev to-c\n"), script);
    assertTrue(script.contains("rename 52:54:00:00:00:01 to-b\n"), script);
    assertTrue(lastAddress < script.indexOf("rdma link add rxe_to-b type rxe netdev to-b\n"));
    assertTrue(script.contains("ulimit -l unlimited\n"), script);
  }

  @Test
  void shouldNotWaitForDuplicatesOfIpv6AddressesAndLimitRates() {
    assertTrue(script(Topologies.IPV6_ONLY, "b").contains("fd77:1::2/64 dev to-a nodad\n"));
    Cable slow = Topologies.PAIR.cables().get(0).withRate(100);
    Topology topology = new Topology("slow", List.of("a", "b"), List.of(slow));
    assertTrue(script(topology, "a").contains("dev to-b root tbf rate 100mbit "));
  }

  @Test
  void shouldWriteScriptsThatBashCanRead() throws Exception {
    for (Topology topology : Topologies.all()) {
      for (String node : topology.nodes()) {
        assertReadable("bash", script(topology, node));
      }
    }
    try (var init = InitrdBuilder.class.getResourceAsStream("init.sh")) {
      assertReadable("sh", new String(init.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private static void assertReadable(String shell, String script)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(shell, "-n").redirectErrorStream(true).start();
    try (var stdin = process.getOutputStream()) {
      stdin.write(script.getBytes(StandardCharsets.UTF_8));
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(10, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), output + script);
  }

  @Test
  void shouldQuoteForTheShell() throws Exception {
    String script =
        new GuestScript("a", GuestNic.of(Topologies.PAIR, "a"))
            .text(Path.of("/it's/java"), "/it's/x.jar");
    assertTrue(script.contains("'/it'\\''s/java' -Xshare"), script);
    assertReadable("bash", script);
  }
}
