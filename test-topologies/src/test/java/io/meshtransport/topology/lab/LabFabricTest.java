// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.InterfaceCounters;
import io.meshtransport.topology.NodeCommand;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.NodeProcess;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * What guests are and what can be done to them. All tests share two guests, because booting takes
 * most of the time; the last test switches a node's power off.
 *
 * <p>Also tests {@link Guest}, {@link Qmp} and {@link UnixStream}.
 */
@RequiresLab
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LabFabricTest {
  private static final Duration STEP = Duration.ofSeconds(60);
  private static final Cable CABLE = Topologies.PAIR.cables().get(0).withMtu(1500, 9000);
  private static final Topology UNEQUAL =
      new Topology("unequal", List.of("a", "b"), List.of(CABLE));

  private static LabFabric fabric;

  /** Shared by the tests that need one: a JVM takes longer to start in a guest than they to run. */
  private static RunningMesh mesh;

  @TempDir private Path folder;

  @BeforeAll
  static void boot() {
    fabric = TestLab.boot(UNEQUAL, LabOptions.STANDARD);
  }

  @AfterAll
  static void close() {
    if (mesh != null) {
      mesh.close();
    }
    fabric.close();
    fabric.close();
  }

  private static RunningMesh mesh() {
    if (mesh == null) {
      mesh =
          RunningMesh.start(
              fabric, new NodeJvm(Map.of("MESH_TIMEOUT_MS", "60000"), GuestJvm.QUICK_START, false));
    }
    return mesh;
  }

  @Test
  void shouldGiveEachEndItsAddressItsMtuAndAnRdmaDevice() {
    String seenByA = fabric.run("a", "ip", "addr", "show", "to-b");
    assertTrue(seenByA.contains("10.77.1.1/24") && seenByA.contains("mtu 1500"), seenByA);
    String seenByB = fabric.run("b", "ip", "addr", "show", "to-a");
    assertTrue(seenByB.contains("10.77.1.2/24") && seenByB.contains("mtu 9000"), seenByB);
    String links = fabric.run("b", "rdma", "link");
    assertTrue(links.contains("rxe_to-a/1 state ACTIVE") && links.contains("netdev to-a"), links);
    assertEquals("rxe_to-a", fabric.rdmaDevice(CABLE, "b"));
  }

  @Test
  void shouldShowTheHostReadOnlyWithAMemoryOfItsOwn() throws Exception {
    Path shown = Files.writeString(folder.resolve("shown"), "by the host");
    assertEquals("by the host", fabric.run("a", "cat", shown.toString()));

    fabric.run("a", "sh", "-c", "echo changed >" + shown + "; echo new >" + folder + "/new");

    assertEquals("changed\n", fabric.run("a", "cat", shown.toString()));
    assertEquals("by the host", Files.readString(shown));
    assertFalse(Files.exists(folder.resolve("new")));
  }

  @Test
  void shouldRunACommandInEveryGuestAndReturnTheWorstOfTheirStatuses() throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    GuestsCommand command =
        new GuestsCommand(fabric, new PrintWriter(out, true), new PrintWriter(err, true));

    int worst =
        command.run(
            List.of(
                "sh",
                "-c",
                "echo I am $MESH_NODE of $MESH_NODES; echo oops >&2; mkdir $LAB_OUT/in;"
                    + " hostname >$LAB_OUT/in/name 2>&1 || echo $MESH_NODE >$LAB_OUT/in/name;"
                    + " [ $MESH_NODE = a ] || exit 7"));

    assertEquals(7, worst);
    assertEquals(
        List.of("a  I am a of a,b", "b  I am b of a,b"), out.toString().lines().sorted().toList());
    assertEquals(List.of("a  oops", "b  oops"), err.toString().lines().sorted().toList());
    Path saved = command.save(Optional.of(folder.resolve("saved"))).orElseThrow();
    assertEquals("a", Files.readString(saved.resolve("a/in/name")).strip());
    assertEquals("b", Files.readString(saved.resolve("b/in/name")).strip());
  }

  @Test
  void shouldReport127WhereThereIsNoSuchProgram() throws Exception {
    StringWriter err = new StringWriter();
    PrintWriter printer = new PrintWriter(err, true);

    assertEquals(127, new GuestsCommand(fabric, printer, printer).run(List.of("no-such-program")));
    assertTrue(err.toString().contains("no-such-program"), err.toString());
  }

  @Test
  void shouldSayWhatACommandSaidThatFails() {
    FabricException failure =
        assertThrows(
            FabricException.class, () -> fabric.run("a", "sh", "-c", "echo because; exit 9"));
    assertEquals("a: `sh -c echo because; exit 9` failed with 9: because", failure.getMessage());
  }

  @Test
  void shouldCutAndMendACable() {
    fabric.cut(CABLE);
    awaitCarrier("a", "to-b", "0");
    awaitCarrier("b", "to-a", "0");
    fabric.mend(CABLE);
    awaitCarrier("a", "to-b", "1");
    awaitCarrier("b", "to-a", "1");
    Awaitility.await()
        .atMost(STEP)
        .until(() -> fabric.run("a", "rdma", "link").contains("rxe_to-b/1 state ACTIVE"));
  }

  private static void awaitCarrier(String node, String netdev, String expected) {
    String file = "/sys/class/net/" + netdev + "/carrier";
    Awaitility.await().atMost(STEP).until(() -> fabric.run(node, "cat", file).startsWith(expected));
  }

  @Test
  void shouldRunAMeshOverRdmaAndCountWhatTheCableCarries() {
    long before = sent("a");
    assertEquals("ibverbs", mesh().opened("a").provider());
    Map<String, List<NodeEvent.Link>> links = mesh().connectAll(1 << 20, STEP);
    assertEquals("10.77.1.0/24", links.get("a").get(0).subnet());
    List<NodeCommand.Batch> batches =
        List.of(new NodeCommand.Batch(5, 0), new NodeCommand.Batch(3, 1 << 20));

    mesh()
        .exchange(batches, 77, STEP)
        .forEach((node, got) -> assertEquals(new NodeEvent.Exchanged(8, 3 << 20), got));

    assertTrue(sent("a") - before > 3 << 20, "the cable carried less than was sent");
    RdmaCounters counters = RdmaCounters.sumOf(fabric);
    assertTrue(counters.packets() > 2 * (3 << 20) / 1024, counters.toString());
    assertEquals(0, counters.notReady(), counters.toString());
  }

  private static long sent(String node) {
    return fabric.counters(node).stream()
        .filter(each -> each.name().startsWith("to-"))
        .mapToLong(InterfaceCounters::sentBytes)
        .sum();
  }

  @Test
  void shouldStopAndContinueAProgram() throws Exception {
    NodeProcess node = mesh().node("a");
    node.pause();
    String stat = "/proc/" + node.pid() + "/stat";
    Awaitility.await().atMost(STEP).until(() -> fabric.run("a", "cat", stat).contains(") T "));
    node.resume();
    node.send(new NodeCommand.Disconnect());
    node.awaitEvent(NodeEvent.Done.class, STEP);
  }

  @Test
  @Order(Integer.MAX_VALUE)
  void shouldLosePowerAndBootAgain() throws Exception {
    Process running = fabric.start("b", new ProcessBuilder("sleep", "1000"));

    fabric.powerOff("b");

    assertTrue(running.waitFor(STEP.toSeconds(), TimeUnit.SECONDS));
    assertEquals(GuestProcess.KILLED, running.exitValue());
    assertThrows(FabricException.class, () -> fabric.run("b", "true"));
    fabric.powerOn("b");
    assertEquals("1\n", fabric.run("b", "sh", "-c", "ls -d /sys/class/infiniband/* | wc -l"));
    assertEquals("b\n", fabric.run("b", "cat", "/proc/sys/kernel/hostname"));
    assertTrue(
        fabric.run("a", "bash", "-c", "exec 3<>/dev/udp/10.77.1.2/9; echo sent").contains("sent"));
  }

  @Test
  void shouldRefuseToStartWhatCannotBeCarried() {
    ProcessBuilder toFile = new ProcessBuilder("true").redirectOutput(folder.resolve("x").toFile());
    assertThrows(IllegalArgumentException.class, () -> fabric.start("a", toFile));
    assertThrows(IllegalArgumentException.class, () -> fabric.run("z", "true"));
  }

  @Test
  void shouldReportAGuestThatDoesNotBootWithItsConsole() throws Exception {
    LabImage image =
        new LabImage(
            "none",
            Files.write(folder.resolve("vmlinuz"), "no kernel".getBytes(StandardCharsets.UTF_8)),
            Files.write(folder.resolve("initrd.gz"), new byte[1]));

    FabricException failure =
        assertThrows(
            FabricException.class,
            () ->
                LabFabric.boot(
                    Topologies.PAIR,
                    image,
                    new LabOptions(512, 1, Duration.ofSeconds(20)),
                    Map.of()));

    assertTrue(failure.getMessage().startsWith("guest a did not boot"), failure.getMessage());
    assertTrue(failure.getMessage().contains("the end of its console:\n"), failure.getMessage());
  }
}
