// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What guests are told: QEMU's words, the script, the names in the environment. */
class LabWordsTest {
  private static final GuestFiles FILES = new GuestFiles(Path.of("/tmp/mesh-lab-1-x"));
  private static final LabImage IMAGE =
      new LabImage("6.1", Path.of("/cache/vmlinuz"), Path.of("/cache/initrd.gz"));

  private static List<String> qemu(Topology topology, String node) {
    return QemuCommand.words(
        Path.of("/usr/bin/qemu"),
        IMAGE,
        LabOptions.STANDARD.withProcessors(2),
        FILES,
        node,
        GuestNic.of(topology, node));
  }

  private static Set<String> valuesOf(List<String> words, String option) {
    Set<String> values = new HashSet<>();
    for (int i = 0; i + 1 < words.size(); i++) {
      if (words.get(i).equals(option)) {
        values.add(words.get(i + 1));
      }
    }
    return values;
  }

  @Test
  void shouldPlugBothEndsOfACableIntoEachOther() {
    String atA = "local.path=/tmp/mesh-lab-1-x/cable0.a,remote.type=unix,remote.path=";
    assertTrue(
        valuesOf(qemu(Topologies.PAIR, "a"), "-netdev")
            .contains("dgram,id=nic0,local.type=unix," + atA + "/tmp/mesh-lab-1-x/cable0.b"));
    assertTrue(
        valuesOf(qemu(Topologies.PAIR, "b"), "-netdev")
            .contains(
                "dgram,id=nic0,local.type=unix,local.path=/tmp/mesh-lab-1-x/cable0.b,"
                    + "remote.type=unix,remote.path=/tmp/mesh-lab-1-x/cable0.a"));
  }

  @Test
  void shouldGiveEachNicAnAddressOfItsOwn() {
    Topology mesh = Topologies.fullMesh(4);
    Set<String> macs = new HashSet<>();
    for (String node : mesh.nodes()) {
      List<GuestNic> nics = GuestNic.of(mesh, node);
      assertEquals(3, nics.size());
      nics.forEach(nic -> macs.add(nic.mac()));
    }
    assertEquals(12, macs.size());
  }

  @Test
  void shouldShowTheHostReadOnlyAndOneFolderWritable() {
    assertEquals(
        Set.of(
            "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
            "local,path=/tmp/mesh-lab-1-x/a,mount_tag=share,security_model=none"),
        valuesOf(qemu(Topologies.PAIR, "a"), "-virtfs"));
  }

  @Test
  void shouldEmulateWithWhatTheOptionsSay() {
    List<String> words = qemu(Topologies.PAIR, "a");

    assertEquals(Set.of("tcg,thread=multi"), valuesOf(words, "-accel"));
    assertEquals(Set.of("2"), valuesOf(words, "-smp"));
    assertEquals(Set.of("2048M"), valuesOf(words, "-m"));
    assertEquals(Set.of("/cache/vmlinuz"), valuesOf(words, "-kernel"));
    assertEquals(Set.of("/cache/initrd.gz"), valuesOf(words, "-initrd"));
  }

  @Test
  void shouldRefuseWhatNoGuestCanBe() {
    Cable jumbo = Topologies.PAIR.cables().get(0).withMtu(1500, 9001);
    Topology topology = new Topology("jumbo", List.of("a", "b"), List.of(jumbo));

    FabricException refusal = assertThrows(FabricException.class, () -> GuestNic.of(topology, "b"));
    assertTrue(refusal.getMessage().contains("9001 at b"), refusal.getMessage());
    assertEquals(1500, GuestNic.of(Topologies.MTU_MIX, "a").get(0).mtuBytes());
    assertEquals(9000, GuestNic.of(Topologies.MTU_MIX, "b").get(0).mtuBytes());
    assertThrows(
        IllegalArgumentException.class, () -> new LabOptions(100, 1, Duration.ofSeconds(1)));
    assertThrows(
        IllegalArgumentException.class, () -> new LabOptions(2048, 0, Duration.ofSeconds(1)));
    assertThrows(IllegalArgumentException.class, () -> new LabOptions(2048, 1, Duration.ZERO));
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

  private static String script(Topology topology, String node) {
    return new GuestScript(node, GuestNic.of(topology, node))
        .text(Path.of("/usr/lib/jvm/java/bin/java"), "/a b/x.jar:/y.jar");
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
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(10, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), said + script);
  }

  @Test
  void shouldNamePeersAndAddressesForPrograms() {
    Map<String, String> names = LabNames.of(Topologies.TRIANGLE, "c");

    assertEquals("c", names.get("MESH_NODE"));
    assertEquals("a,b,c", names.get("MESH_NODES"));
    assertEquals("a,b", names.get("LAB_PEERS"));
    assertEquals("10.77.2.2/30,10.77.3.0/31", names.get("LAB_ADDRESSES"));
    assertEquals("10.77.2.1", names.get("LAB_PEER_b"));
    assertEquals("10.77.2.2", names.get("LAB_LOCAL_b"));
    assertEquals("to-b", names.get("LAB_NETDEV_b"));
    assertEquals("rxe_to-b", names.get("LAB_RDMA_b"));
    assertEquals("10.77.3.1", names.get("LAB_PEER_a"));
    assertEquals("/run/mesh-lab/out", names.get("LAB_OUT"));
  }

  @Test
  void shouldNameTheFirstOfTwoCables() {
    Map<String, String> names = LabNames.of(Topologies.PAIR_TWO_CABLES, "a");

    assertEquals("10.77.1.2", names.get("LAB_PEER_b"));
    assertEquals("to-b", names.get("LAB_NETDEV_b"));
    assertEquals("10.77.1.1/24,10.77.2.1/24", names.get("LAB_ADDRESSES"));
  }

  @Test
  void shouldQuoteWhatMeansSomethingToQemuAndToTheShell() throws Exception {
    GuestFiles odd = new GuestFiles(Path.of("/tmp/a,b"));
    List<String> words =
        QemuCommand.words(
            Path.of("/usr/bin/qemu"),
            IMAGE,
            LabOptions.STANDARD,
            odd,
            "a",
            GuestNic.of(Topologies.PAIR, "a"));
    assertTrue(
        valuesOf(words, "-virtfs")
            .contains("local,path=/tmp/a,,b/a,mount_tag=share,security_model=none"));
    assertTrue(valuesOf(words, "-chardev").contains("socket,id=agent,path=/tmp/a,,b/a.agent"));
    assertTrue(
        valuesOf(words, "-netdev")
            .contains(
                "dgram,id=nic0,local.type=unix,local.path=/tmp/a,,b/cable0.a,"
                    + "remote.type=unix,remote.path=/tmp/a,,b/cable0.b"));

    String script =
        new GuestScript("a", GuestNic.of(Topologies.PAIR, "a"))
            .text(Path.of("/it's/java"), "/it's/x.jar");
    assertTrue(script.contains("'/it'\\''s/java' -Xshare"), script);
    assertReadable("bash", script);
  }
}
