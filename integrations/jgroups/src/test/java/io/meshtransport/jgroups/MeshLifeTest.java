// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.util.Responses;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Starting, stopping, and what MESH shows of itself between.
 *
 * <p>Also tests {@link AttributeChecks}, {@link Delivery}, {@link MeshIdentity}, {@link MeshPorts},
 * {@link MeshRuntime}, {@link LoggedFailures}, {@link NodeDirectory} and {@link ProtocolIds}.
 */
@Timeout(120)
class MeshLifeTest {
  private static final String SUBNET = "127.77.57.";
  private static final int[] SIZES = {1, 100_000};

  private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
  private UncaughtExceptionHandler before;

  @TempDir private Path folder;

  /** As JGroups 5.6 calls a transport, with a buffer of any kind. */
  public static final class MeshOfLater extends MESH {
    private static ByteBuffer buffer(byte[] data, int offset, int length) {
      ByteBuffer direct = ByteBuffer.allocateDirect(length + 7).position(7);
      return direct.put(data, offset, length).position(7).asReadOnlyBuffer();
    }

    @Override
    public void sendUnicast(PhysicalAddress dest, byte[] data, int offset, int length)
        throws Exception {
      sendUnicast(dest, buffer(data, offset, length));
    }

    /** One buffer for all. */
    @Override
    protected void sendUnicasts(List<PhysicalAddress> dests, byte[] data, int offset, int length)
        throws Exception {
      ByteBuffer bundle = buffer(data, offset, length);
      for (PhysicalAddress dest : dests) {
        sendUnicast(dest, bundle);
      }
    }
  }

  @BeforeEach
  void listen() {
    before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
  }

  @AfterEach
  void expectNeitherThreadsNorTheirFailures() {
    Thread.setDefaultUncaughtExceptionHandler(before);
    assertEquals(List.of(), uncaught);
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .untilAsserted(() -> assertEquals(List.of(), threads()));
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("mesh-"))
        .toList();
  }

  private static LoopbackMember join(String name, int host, String seeds) throws Exception {
    return LoopbackMember.join("mesh.xml", name, SUBNET + host, seeds);
  }

  private static void exchange(LoopbackMember from, LoopbackMember to) throws Exception {
    from.unicast(to, SIZES);
    to.awaitUnicasts(from, SIZES);
  }

  @Test
  @Tag("slow")
  void shouldStopTwiceAndStartAgain() throws Exception {
    try (LoopbackMember a = join("a", 1, "");
        LoopbackMember b = join("b", 2, a.seed(SUBNET + 1))) {
      a.awaitView("a", "b");
      String firstLife = b.mesh().directory().self().toString();
      assertTrue(b.mesh().group.has(a.channel().getAddress()));
      b.channel().disconnect();
      assertFalse(b.mesh().group.has(a.channel().getAddress()));
      a.awaitView("a");
      b.mesh().stop();
      assertEquals("not started", b.mesh().printLinks());
      // As a search does that the timer begins late: no failure, and no wait.
      b.mesh().awaitInitialDiscovery();
      MESH_PING search = b.channel().getProtocolStack().findProtocol(MESH_PING.class);
      Responses responses = new Responses(0, false, 1);
      search.findMembers(null, true, responses);
      assertEquals(0, responses.size());
      assertThrows(
          SocketException.class,
          () -> b.mesh().sendUnicast(a.mesh().overlayAddress(), new byte[1], 0, 1));
      b.channel().connect("loopback");
      a.awaitView("a", "b");
      assertNotEquals(firstLife, b.mesh().directory().self().toString());
      // Not back: UFC of 5.5.7 turns in circles for a peer of its former life, on any transport.
      exchange(a, b);
    }
  }

  @Test
  void shouldCloseEverythingIfItCannotStart() throws Exception {
    LoopbackMember member = LoopbackMember.make("mesh.xml", "a", "128.0.0.1", "");
    try (member) {
      Exception failure = assertThrows(Exception.class, () -> member.channel().connect("x"));
      String text = String.valueOf(failure.getCause() == null ? failure : failure.getCause());
      assertTrue(text.contains("MESH_LOOPBACK"), text);
      assertEquals("not started", member.mesh().printLinks());
    }
  }

  @Test
  @Tag("slow")
  void shouldShowItsLinksNodesAndCounts() throws Exception {
    try (LoopbackMember a = join("a", 1, "");
        LoopbackMember b = join("b", 2, a.seed(SUBNET + 1))) {
      exchange(a, b);
      exchange(b, a);
      MESH mesh = a.mesh();
      assertEquals(1, mesh.getOpenLinks());
      assertTrue(mesh.getBundlesSent() >= 2, () -> mesh.getBundlesSent() + " bundles");
      assertTrue(mesh.getBytesSent() > 100_000, () -> mesh.getBytesSent() + " bytes");
      String links = mesh.printLinks();
      assertTrue(links.startsWith("b (198."), links);
      assertTrue(links.contains("OPEN") && links.contains("via lo-" + SUBNET + "1"), links);
      assertEquals(mesh.getInfo(), mesh.printLinks());
      assertTrue(mesh.printNodes().startsWith("[b (198."), mesh::printNodes);
    }
  }

  @Test
  void shouldNotWaitWhereEachSeedRefuses() throws Exception {
    try (LoopbackMember a =
        LoopbackMember.make("mesh.xml", "a", SUBNET + 1, SUBNET + "1:9," + SUBNET + "7:9")) {
      GMS gms = a.channel().getProtocolStack().findProtocol(GMS.class);
      // Far beyond this test's end.
      gms.setJoinTimeout(600_000);
      a.channel().connect("loopback");
      a.awaitView("a");
    }
  }

  @Test
  @Tag("slow")
  void shouldDistinguishMembersThatHaveOneHostNameAndOnePortAtDifferentAddresses()
      throws Exception {
    try (LoopbackMember a = LoopbackMember.make("mesh.xml", "", SUBNET + 1, "");
        LoopbackMember b = LoopbackMember.make("mesh.xml", "", SUBNET + 2, SUBNET + "1:7955")) {
      a.mesh().setBindPort(7955);
      b.mesh().setBindPort(7955);
      a.mesh().setPortRange(0);
      b.mesh().setPortRange(0);
      a.channel().name("a").connect("loopback");
      b.channel().name("b").connect("loopback");
      a.awaitView("a", "b");
      assertNotEquals(a.mesh().overlayAddress(), b.mesh().overlayAddress());
    }
  }

  @Test
  @Tag("slow")
  void shouldRemoveNodesThatLeftAndWillNotComeBack() throws Exception {
    try (LoopbackMember a = LoopbackMember.make("mesh.xml", "a", SUBNET + 1, "")) {
      a.mesh().forget_after = 500;
      a.channel().connect("loopback");
      for (int life = 1; life <= 3; life++) {
        // Each is at another port, so none replaces the one before.
        try (LoopbackMember b = join("b", 2, a.seed(SUBNET + 1))) {
          a.awaitView("a", "b");
          assertEquals(1, b.mesh().getOpenLinks());
        }
        a.awaitView("a");
      }
      Awaitility.await()
          .atMost(LoopbackMember.LIMIT)
          .untilAsserted(() -> assertEquals("[]", a.mesh().printNodes()));
      assertEquals("", a.mesh().printLinks());
      assertEquals(0, a.mesh().getGoneSuspicions());
    }
  }

  @Test
  @Tag("slow")
  void shouldSendFromAnyBufferAsLaterVersionsOfJGroupsDo() throws Exception {
    try (InputStream file = MeshLifeTest.class.getResourceAsStream("/mesh.xml")) {
      String stack = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      // A bundler of JGroups' own, which hands the transport a bundle in an array.
      String bundler = "bundler_type=\"org.jgroups.protocols.PerDestinationBundler\"";
      String later =
          stack.replace("<" + MESH.class.getName() + "\n", "<" + name() + "\n" + bundler + "\n");
      assertFalse(later.equals(stack));
      String path = Files.writeString(folder.resolve("later.xml"), later).toString();
      try (LoopbackMember a = LoopbackMember.join(path, "a", SUBNET + 1, "");
          LoopbackMember b = LoopbackMember.join(path, "b", SUBNET + 2, a.seed(SUBNET + 1));
          LoopbackMember c = LoopbackMember.join(path, "c", SUBNET + 3, a.seed(SUBNET + 1))) {
        assertEquals(MeshOfLater.class, a.mesh().getClass());
        a.awaitView("a", "b", "c");
        exchange(a, b);
        exchange(b, a);
        a.multicast(SIZES);
        b.awaitMulticasts(a, SIZES);
        c.awaitMulticasts(a, SIZES);
      }
    }
  }

  private static String name() {
    return MeshOfLater.class.getName();
  }
}
