// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The C plugin's wire (MESH_COMPAT=nccl-mesh) between two guests: the transport in b, and in a a
 * peer that knows that wire and nothing of the transport, once in Java and once in C. The side that
 * connects sends 39 messages of 0 bytes to 1 MiB, whose content the other compares.
 */
@RequiresLab
@TestMethodOrder(OrderAnnotation.class)
class LegacyWireTest {
  private static final String A = "a";
  private static final String B = "b";
  private static final Topology PAIR = Topologies.PAIR.withMtu(GuestNic.MAX_MTU_BYTES);
  private static final Cable CABLE = PAIR.cables().get(0);
  private static final String ADDRESS_OF_A = "10.77.1.1";
  private static final String ADDRESS_OF_B = "10.77.1.2";

  /** The last four groups of the GID of {@link #ADDRESS_OF_A}. */
  private static final String GID_OF_A = "0000:ffff:0a4d:0101";

  /** Its arguments are in its Javadoc; no part of the transport's interface, so by name. */
  private static final String PROOF = "io.meshtransport.transport.LegacyProof";

  private static final Path SOURCE = Path.of("..", "mesh-transport", "src/test/c/legacy_peer.c");
  private static final Path PROGRAM = Path.of("target", "legacy_peer").toAbsolutePath();
  private static final int BEYOND_16_BITS = 0xFFFF;
  private static final Pattern QUEUE_PAIR = Pattern.compile("queue pair (\\d+)");

  /** On a busy host a guest may pause for longer than 7 times 67 ms; so 7 times 1.07 s. */
  private static final Map<String, String> SETTINGS =
      Map.of("MESH_TIMEOUT_MS", "60000", "MESH_IB_TIMEOUT", "18");

  private static final String ALL_MESSAGES = "39 messages of 0 to 1048576 bytes";

  /** The slowest took one minute on two processors that a dozen others wanted as well. */
  private static final Duration LIMIT = Duration.ofMinutes(4);

  /** Why there is no peer in C here; empty if there is one. */
  private static String noPeerInC = "";

  private static LabFabric fabric;

  @BeforeAll
  static void boot() throws IOException, InterruptedException {
    // Before the guests start: a guest may not read again what it has read of the host's files.
    noPeerInC = compile();
    fabric = TestLab.boot(PAIR, LabOptions.STANDARD);
  }

  @AfterAll
  static void switchOff() {
    if (fabric != null) {
      fabric.close();
    }
  }

  private static String compile() throws IOException, InterruptedException {
    if (Programs.find("gcc").isEmpty()) {
      return "no peer in C: there is no gcc";
    }
    if (!compiles("-fsyntax-only", "-include", "infiniband/verbs.h", "-x", "c", "/dev/null")) {
      return "no peer in C: gcc finds no infiniband/verbs.h; install libibverbs-dev";
    }
    boolean compiled =
        compiles(
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            PROGRAM.toString(),
            SOURCE.toString(),
            "-libverbs");
    assertTrue(compiled, SOURCE + " does not compile; gcc says why above");
    return "";
  }

  private static boolean compiles(String... arguments) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("gcc"));
    words.addAll(List.of(arguments));
    Process gcc = new ProcessBuilder(words).redirectErrorStream(true).start();
    gcc.getOutputStream().close();
    System.out.print(new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    return gcc.waitFor() == 0;
  }

  /** Both speak the same wire, and the one in C is foreign: each takes 20 s in each direction. */
  private static void onlyWithoutAPeerInC() {
    assumeTrue(
        !noPeerInC.isEmpty() || Boolean.getBoolean("mesh.test.long"),
        "the peer in C does for it; -Dmesh.test.long=true runs both");
  }

  @Test
  void shouldReceiveFromAPeerInJava() throws Exception {
    onlyWithoutAPeerInC();
    runPair(peerInJava("connect"), transport("listen"));
  }

  @Test
  void shouldSendToAPeerInJava() throws Exception {
    onlyWithoutAPeerInC();
    runPair(peerInJava("listen"), transport("connect"));
  }

  /** While the transport's JVM starts, its peer uses up half of the numbers that the next wants. */
  @Test
  @Order(1)
  void shouldReceiveFromAPeerInC() throws Exception {
    assumeTrue(noPeerInC.isEmpty(), noPeerInC);
    runPair(peerInC("connect", BEYOND_16_BITS / 2), transport("listen"));
  }

  /** The wire's handle has 16 bits of a number, its handshake has all of them. */
  @Test
  @Order(2)
  void shouldSendToAPeerInCWhoseNumberIsBeyondSixteenBits() throws Exception {
    assumeTrue(noPeerInC.isEmpty(), noPeerInC);
    String said = runPair(peerInC("listen", BEYOND_16_BITS), transport("connect"));
    Matcher number = QUEUE_PAIR.matcher(said);
    assertTrue(number.find() && Integer.parseInt(number.group(1)) > BEYOND_16_BITS, said);
  }

  /**
   * Runs both to their ends, which must be good.
   *
   * @return what the peer said
   */
  private static String runPair(List<String> peer, List<String> transport) throws Exception {
    try (RunningProgram inA = RunningProgram.start(fabric, A, peer, SETTINGS);
        RunningProgram inB = RunningProgram.start(fabric, B, transport, SETTINGS)) {
      RunningProgram.awaitAll(LIMIT, List.of(inA, inB));
      String all = inA + "\n" + inB;
      System.out.println(all);
      for (RunningProgram each : List.of(inA, inB)) {
        assertEquals(0, each.status(), all);
        String last = each.output().lines().reduce("", (earlier, later) -> later);
        assertTrue(last.startsWith("PASS ") && last.contains(ALL_MESSAGES), all);
      }
      return inA.output();
    }
  }

  private static List<String> transport(String role) {
    String device = fabric.rdmaDevice(CABLE, B);
    return java("transport", role, device, ADDRESS_OF_B, ADDRESS_OF_A);
  }

  private static List<String> peerInJava(String role) {
    return java("peer", role, fabric.rdmaDevice(CABLE, A), ADDRESS_OF_A, ADDRESS_OF_B);
  }

  private static List<String> java(String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(GuestJvm.QUICK_START);
    words.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC"));
    words.addAll(List.of("-cp", ClassPath.absolute(), PROOF));
    words.addAll(List.of(arguments));
    return words;
  }

  /**
   * @param burn numbers up to this one are used up first
   */
  private static List<String> peerInC(String role, int burn) {
    String device = fabric.rdmaDevice(CABLE, A);
    String gids = "/sys/class/infiniband/" + device + "/ports/1/gids";
    String file = fabric.run(A, "grep", "-rl", GID_OF_A, gids).strip();
    String row = file.substring(file.lastIndexOf('/') + 1);
    return List.of(
        PROGRAM.toString(), role, device, row, ADDRESS_OF_A, ADDRESS_OF_B, String.valueOf(burn));
  }
}
