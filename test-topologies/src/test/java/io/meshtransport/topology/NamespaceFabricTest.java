// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@RequiresNamespaces
class NamespaceFabricTest {
  private static String output(Fabric fabric, String node, String... words)
      throws IOException, InterruptedException {
    Process process = fabric.start(node, new ProcessBuilder(words).redirectErrorStream(true));
    assertTrue(process.waitFor(10, TimeUnit.SECONDS), "still running: " + List.of(words));
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static String names() {
    try (NamespaceAccess access = NamespaceAccess.open()) {
      return access.ip("netns", "list").run();
    }
  }

  private static String ours() {
    return "mesh-" + Maker.self().mark() + "-";
  }

  @Test
  void shouldGiveEachNodeItsOwnCablesAndNothingElse() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.IPV6_CABLE)) {
      String seenByA = output(fabric, "a", "ip", "-br", "addr");

      assertTrue(seenByA.contains("10.77.1.1/24"), seenByA);
      assertTrue(seenByA.contains("fd77:3::2/64"), seenByA);
      assertEquals(3, seenByA.lines().count(), seenByA);
      assertFalse(seenByA.contains("fe80"), seenByA);
    }
  }

  @Test
  void shouldGiveEachEndItsMtu() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.MTU_MIX)) {
      assertTrue(output(fabric, "a", "ip", "link", "show", "to-b").contains("mtu 1500"));
      assertTrue(output(fabric, "b", "ip", "link", "show", "to-a").contains("mtu 9000"));
    }
  }

  @Test
  void shouldGiveEachNodeTheKernelsOwnCongestionControl() throws Exception {
    String settings = "/proc/sys/net/ipv4/tcp_";
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      for (String node : fabric.topology().nodes()) {
        // A namespace may choose none that is there and not among these (tcp_cong.c).
        String allowed = output(fabric, node, "cat", settings + "allowed_congestion_control");
        assertEquals(
            allowed.contains("cubic") ? "cubic" : "reno",
            output(fabric, node, "cat", settings + "congestion_control").strip(),
            allowed);
      }
    }
  }

  @Test
  void shouldLimitTheRateOfACable() throws Exception {
    Cable slow = Topologies.PAIR.cables().get(0).withRate(100);
    Topology topology = new Topology("slow", Topologies.PAIR.nodes(), List.of(slow));
    try (Fabric fabric = Fabric.namespaces(topology)) {
      String queues = output(fabric, "b", "tc", "qdisc", "show", "dev", "to-a");

      assertTrue(queues.contains("rate 100Mbit"), queues);
    }
  }

  @Test
  void shouldCutAndMendACable() throws Exception {
    try (Fabric fabric = Fabric.namespaces(Topologies.IPV6_ONLY)) {
      Cable cable = fabric.topology().cables().get(0);

      fabric.cut(cable);
      assertTrue(output(fabric, "b", "cat", "/sys/class/net/to-a/carrier").startsWith("0"));
      fabric.mend(cable);
      assertTrue(output(fabric, "b", "cat", "/sys/class/net/to-a/carrier").startsWith("1"));
      assertTrue(output(fabric, "a", "ip", "-br", "addr").contains("fd77:1::1/64"));
    }
  }

  @Test
  void shouldCountNothingOnAnUnusedCable() {
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR)) {
      for (InterfaceCounters counters : fabric.counters("a")) {
        assertEquals(0, counters.sentBytes(), counters.toString());
      }
      assertEquals(
          List.of("lo", "to-b"),
          fabric.counters("a").stream().map(InterfaceCounters::name).toList());
    }
  }

  @Test
  void shouldRemoveEverythingAndEndWhatRunsThere() throws Exception {
    Fabric fabric = Fabric.namespaces(Topologies.PAIR);
    Process forever = fabric.start("a", new ProcessBuilder("sleep", "infinity"));

    fabric.close();
    fabric.close();

    assertFalse(forever.isAlive());
    assertFalse(names().contains(ours()), names());
  }

  @Test
  void shouldRemoveWhatADeadProcessLeftBehind() {
    try (NamespaceAccess access = NamespaceAccess.open()) {
      String left = "mesh-" + new Maker(Maker.self().pidNamespace(), 1 << 23, 77).mark() + "-1-a";
      String foreign = "mesh-" + (1 << 23) + "-x";
      access.ip("netns", "add", left).run();
      access.ip("netns", "add", foreign).run();

      new StaleNamespaces(access).remove();

      String names = access.ip("netns", "list").run();
      access.ip("netns", "delete", foreign).run();
      assertFalse(names.contains(left));
      assertTrue(names.contains(foreign));
    }
  }
}
