// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.relay.Relay;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@link Relay}s on real cables, a JVM per node: their {@link io.meshtransport.relay.RelayThread}s
 * over {@link io.meshtransport.relay.ConnectionHop}s.
 */
@RequiresNamespaces
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RelayMeshTest {
  private static final Topology LINE =
      new Topology(
          "line",
          List.of("a", "b", "c", "d"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/24", "c", "10.77.2.2/24"),
              Cable.between("c", "10.77.3.1/24", "d", "10.77.3.2/24")));

  /** Of cables that nobody has given an address; the two of b look alike. */
  private static final Topology LINK_LOCAL_LINE =
      new Topology(
          "link-local-line",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "fe80::1/64", "b", "fe80::2/64"),
              Cable.between("b", "fe80::1/64", "c", "fe80::2/64")));

  /** Of 512 KiB: what the relay does each second whether it passes on anything or not. */
  private static final long GARBAGE_BYTES_PER_CHUNK = 64;

  /** Some messages of a megabyte each. */
  private static final long RELAYED_BYTES = 4 << 20;

  /** On a busy host the cable may be pulled too late. */
  private static final int ATTEMPTS = 3;

  private static final Map<String, String> SOFT = Map.of("MESH_PROVIDER", "soft");

  private static final Map<String, String> WITHOUT_FAILOVER =
      Map.of("MESH_PROVIDER", "soft", "MESH_FAILOVER", "0");

  private static LineProgram start(Fabric fabric, String node, int count) throws IOException {
    return start(fabric, node, count, NodeJvm.withSettings(SOFT));
  }

  private static LineProgram start(Fabric fabric, String node, int count, NodeJvm jvm)
      throws IOException {
    return LineProgram.start(fabric, node, jvm, RelayProgram.class, String.valueOf(count));
  }

  private static void awaitPath(LineProgram at, String to, String path)
      throws InterruptedException {
    String reaches;
    do {
      at.say("await " + to);
      reaches = at.await("reaches " + to);
    } while (!reaches.endsWith(path));
  }

  @Test
  void shouldCarryBytesOverThreeCables() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      LineProgram a = start(fabric, "a", 4);
      LineProgram b = start(fabric, "b", 4);
      LineProgram c = start(fabric, "c", 4);
      LineProgram d = start(fabric, "d", 4);
      a.say("echo d 64");
      assertTrue(a.await("reaches d").equals("reaches d over b, c"));
      System.out.println(a.await("echoed 67108864 bytes"));
      b.say("count");
      assertTrue(Long.parseLong(b.await("relayed ").substring(8)) >= 2L * 64 << 20);
      d.say("echo b 8");
      assertTrue(d.await("reaches b").equals("reaches b over c"));
      d.await("echoed 8388608 bytes");
      for (LineProgram each : List.of(a, b, c, d)) {
        each.end();
      }
    }
  }

  /** In each of its threads that have to do with it. */
  @Test
  void shouldMakeNoGarbageOfWhatItPassesOn() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      // Hundreds of megabytes pay for the second compiler.
      NodeJvm jvm = new NodeJvm(SOFT, List.of(), false);
      LineProgram a = start(fabric, "a", 4, jvm);
      LineProgram b = start(fabric, "b", 4, jvm);
      start(fabric, "c", 4, jvm);
      LineProgram d = start(fabric, "d", 4);
      // Until the compilers are done with it.
      a.say("echo c 256");
      d.say("load b 300000");
      d.await("loaded");
      a.await("echoed");
      long bytesPerChunk = Long.MAX_VALUE;
      for (int i = 0; i < 8 && bytesPerChunk > GARBAGE_BYTES_PER_CHUNK; i++) {
        long allocated = asked(b, "garbage", "allocated ");
        long chunks = asked(b, "chunks", "chunks ");
        a.say("echo c 256");
        a.await("echoed");
        bytesPerChunk =
            (asked(b, "garbage", "allocated ") - allocated)
                / (asked(b, "chunks", "chunks ") - chunks);
        System.out.println(bytesPerChunk + " bytes of garbage per chunk of 512 KiB");
      }
      assertTrue(bytesPerChunk <= GARBAGE_BYTES_PER_CHUNK, bytesPerChunk + " bytes");
    }
  }

  private static long asked(LineProgram at, String question, String answer)
      throws InterruptedException {
    at.say(question);
    return Long.parseLong(at.await(answer).substring(answer.length()));
  }

  /** Handshake, queue pairs and messages, as over a cable. */
  @Test
  void shouldConnectNodesThatNoCableJoins() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINE)) {
      LineProgram a = start(fabric, "a", 4);
      for (String node : List.of("b", "c", "d")) {
        start(fabric, node, 4);
      }
      awaitPath(a, "d", "over b, c");
      a.say("talk d 100 1 FALLBACK");
      String talked = a.await("talked");
      assertTrue(talked.startsWith("talked 100 of 100 bytes, equal"), talked);
      assertTrue(talked.endsWith("no cable joins the nodes, so it goes over b, c."), talked);
      a.say("talk d 20000000 1 FALLBACK");
      talked = a.await("talked");
      System.out.println(talked);
      assertTrue(talked.startsWith("talked 20000000 of 20000000 bytes, equal"), talked);
      a.say("talk b 100 1 FALLBACK");
      talked = a.await("talked");
      assertTrue(talked.contains("share 10.77.1.0/24"), talked);
      a.say("talk d 100 1 NEVER");
      talked = a.await("cannot talk");
      assertTrue(talked.startsWith("cannot talk: NO_ROUTE"), talked);
    }
  }

  private static void assertTalkedOverB(String talked) {
    assertTrue(talked.startsWith("talked 100 of 100 bytes, equal"), talked);
    assertTrue(talked.endsWith("no cable joins the nodes, so it goes over b."), talked);
  }

  /**
   * While one connection of its two ends lives and another is made. The first goes on, or has ended
   * for the reason that the mesh or its flow has; the other is made, and so is one after it.
   */
  @Test
  void shouldConnectTheEndsOfALinkLocalLineWhoseMiddleIsKilledAndStartedAgain() throws Exception {
    try (Fabric fabric = Fabric.namespaces(LINK_LOCAL_LINE)) {
      LineProgram a = start(fabric, "a", 3);
      LineProgram b = start(fabric, "b", 3);
      LineProgram c = start(fabric, "c", 3);
      a.say("talk c 100 1 FALLBACK");
      assertTalkedOverB(a.await("talked"));

      a.say("talk c 100000 0 FALLBACK");
      a.await("message 20");
      b.signal("KILL");
      b.process.waitFor();
      c.say("talk a 100 1 FALLBACK");
      start(fabric, "b", 3).await("joined");
      assertTalkedOverB(c.await("talked"));
      a.say("stop");
      String before = a.await("talked");
      assertTrue(
          before.matches(
              "talked (\\d+) of \\1 bytes, equal.*|talked no more: PEER_(GONE|UNREACHABLE) .*"),
          before);
      a.say("talk c 100 1 FALLBACK");
      assertTalkedOverB(a.await("talked"));
    }
  }

  /**
   * {@link io.meshtransport.spi.RelayPolicy#ALWAYS}: the direct cable is pulled while messages go
   * to and fro, and plugged in again. The same cable has a connection with NEVER, which ends.
   */
  @Test
  void shouldKeepAConnectionThatAlwaysGoesOverARelay() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(Topologies.TRIANGLE)) {
      LineProgram a = start(fabric, "a", 3);
      LineProgram b = start(fabric, "b", 3);
      final LineProgram c = start(fabric, "c", 3);
      awaitPath(a, "c", "over one cable");
      c.say("talk a 1000 0 NEVER");
      a.say("talk c 1000000 0 ALWAYS");
      String talked = talkedOverACut(fabric, a, b, c);
      assertTrue(talked.contains("by the relay always"), talked);
      awaitPath(a, "c", "over one cable");
      c.end();
    }
  }

  /**
   * A cable of a and c is cut between their messages, until b has relayed some of them, and what c
   * has over that cable alone has ended.
   */
  private static String talkedOverACut(
      NamespaceFabric fabric, LineProgram a, LineProgram b, LineProgram c) throws Exception {
    a.await("message 20");
    c.await("message 20");
    Cable direct = fabric.topology().cablesBetween("a", "c").get(0);
    final long before = asked(b, "count", "relayed ");
    fabric.cut(direct);
    long relayedBytes;
    do {
      relayedBytes = asked(b, "count", "relayed ");
    } while (relayedBytes - before < RELAYED_BYTES);
    System.out.println("c " + c.await("talked no more: "));
    fabric.mend(direct);
    awaitPath(c, "a", "over one cable");
    a.await("message");
    a.say("stop");
    String talked = a.await("talked");
    System.out.println(talked + ", " + relayedBytes + " bytes relayed until the cable was mended");
    assertTrue(talked.matches("talked (\\d+) of \\1 bytes, equal, .*"), talked);
    return talked;
  }

  /**
   * {@link io.meshtransport.spi.RelayPolicy#FALLBACK}: the same over the cable, with a rail over
   * the relay that stands by. What c connects has none, by its MESH_FAILOVER, and ends.
   */
  @Test
  void shouldKeepAConnectionThatFallsBackToTheRelay() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(Topologies.TRIANGLE)) {
      LineProgram a = start(fabric, "a", 3);
      LineProgram b = start(fabric, "b", 3);
      final LineProgram c = start(fabric, "c", 3, NodeJvm.withSettings(WITHOUT_FAILOVER));
      awaitPath(a, "c", "over one cable");
      c.say("talk a 1000 0 FALLBACK");
      a.say("talk c 1000000 0 FALLBACK");
      talkedOverACut(fabric, a, b, c);
      c.end();
    }
  }

  /** The direct cable is pulled while bytes are on it, and plugged in again. */
  @Test
  void shouldGoOnOverTheOtherTwoCablesOfATriangle() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(Topologies.TRIANGLE)) {
      LineProgram a = start(fabric, "a", 3);
      LineProgram b = start(fabric, "b", 3);
      final LineProgram c = start(fabric, "c", 3);
      Cable direct =
          fabric.topology().cables().stream()
              .filter(each -> each.joins("a", "c"))
              .findFirst()
              .orElseThrow();
      String name = fabric.topology().interfaceName(direct, "a");
      awaitPath(a, "c", "over one cable");
      long relayedBytes = 0;
      for (int i = 0; i < ATTEMPTS && relayedBytes <= 1 << 20; i++) {
        a.say("echo c 256");
        a.await("echoing");
        fabric.ip("a", "link", "set", name, "down");
        System.out.println(a.await("echoed 268435456 bytes"));
        a.say("await c");
        a.await("reaches c over b");
        relayedBytes = asked(b, "count", "relayed ");
        fabric.ip("a", "link", "set", name, "up");
        awaitPath(a, "c", "over one cable");
      }
      assertTrue(relayedBytes > 1 << 20, relayedBytes + " bytes");
      c.end();
    }
  }
}
