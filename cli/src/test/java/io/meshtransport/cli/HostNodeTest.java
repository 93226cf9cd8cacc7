// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link HostNode} and {@link LimitedCall}. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostNodeTest {
  private static final String HEAD =
      "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
          + " inode ref pointer drops\n";
  private static final String LINE =
      " 1234: %s 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 %s 2"
          + " 0000000000000000 0\n";

  @TempDir private Path proc;

  private void open(long pid, String... links) throws IOException {
    Path files = Files.createDirectories(proc.resolve(pid + "/fd"));
    for (int i = 0; i < links.length; i++) {
      Files.createSymbolicLink(files.resolve("" + i), Path.of(links[i]));
    }
  }

  private void table(String name, String... lines) throws IOException {
    Path net = Files.createDirectories(proc.resolve("net"));
    Files.writeString(net.resolve(name), HEAD + String.join("", lines));
  }

  @Test
  void shouldFindWhoHasThePort() throws IOException {
    table("udp", LINE.formatted("00000000:12BA", "77"), LINE.formatted("0100007F:0035", "78"));
    table("udp6", LINE.formatted("00000000000000000000000000000000:12B9", "79"));
    open(10, "/dev/null", "socket:[77]", "socket:[7]");
    open(11, "/dev/null", "socket:[79]");
    Files.createDirectories(proc.resolve("12"));

    assertEquals(Optional.of(11L), HostNode.pid(proc, 0x12B9));
    assertEquals(Optional.of(10L), HostNode.pid(proc, 0x12BA));
    assertEquals(Optional.empty(), HostNode.pid(proc, 53), "another user's");
    assertEquals(Optional.empty(), HostNode.pid(proc, 4000));
  }

  /** A file that is no link fails to be read as one that was closed meanwhile. */
  @Test
  void shouldFindWhoHasThePortThoughOtherFilesAreClosedMeanwhile() throws IOException {
    for (int i = 10; i < 30; i++) {
      open(i, "socket:[76]", "socket:[78]");
      for (int j = 2; j < 6; j++) {
        Files.createFile(proc.resolve(i + "/fd/" + j));
      }
      Files.createSymbolicLink(proc.resolve(i + "/fd/7"), Path.of("socket:[" + (100 + i) + "]"));
      table("udp", LINE.formatted("00000000:12BA", "" + (100 + i)));

      assertEquals(Optional.of((long) i), HostNode.pid(proc, 0x12BA));
    }
  }

  @Test
  void shouldNotKnowWhoHasThePortWhereATableCannotBeRead() throws IOException {
    Files.createDirectories(proc.resolve("net/udp"));
    open(10, "socket:[77]");
    assertEquals(Optional.empty(), HostNode.pid(proc, 0x12BA));

    table("udp6", LINE.formatted("00000000000000000000000000000000:12BA", "77"));
    assertEquals(Optional.of(10L), HostNode.pid(proc, 0x12BA));
  }

  @Test
  void shouldNameTheProgramThatHasThePort() {
    MeshProcess node = new MeshProcess(7, "user", "Main");
    IOException obstacle = new IOException("cannot attach.");
    IOException why = new IOException("Port 4 is in use.", new BindException());

    assertEquals(
        "Port 4 is in use. It is process 7 (Main), whose map cannot be read: cannot attach."
            + " Meanwhile what it knows is in its Mesh.nodes() and links(), its connections in"
            + " ./mesh stat 7, and a host without such a program draws the map of all.",
        HostNode.taken(why, node, obstacle).getMessage());
    IOException other = new IOException("another reason");
    assertSame(other, HostNode.taken(other, node, obstacle));
  }

  @Test
  void shouldFindAPortOfThisProcess() throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      assertEquals(
          Optional.of(ProcessHandle.current().pid()),
          HostNode.pid(Path.of("/proc"), socket.getLocalPort()));
      assertEquals(Optional.empty(), HostNode.program(socket.getLocalPort()), "no transport");
    }
  }

  @Test
  void shouldSayWhoseProgramsThereAre() {
    String self = System.getProperty("user.name");
    MeshProcess own = new MeshProcess(7, self, "Main");
    String text = HostNode.programs(List.of(own, new MeshProcess(8, "other-" + self, "Main")));

    assertTrue(text.contains("7 (Main), 8 (Main) of user other-" + self), text);
    assertTrue(text.contains("sudo -u"), text);
    assertTrue(!HostNode.programs(List.of(own)).contains("sudo"), text);
    assertEquals("", HostNode.programs(List.of()));
    IOException other = new IOException("another reason");
    assertSame(other, HostNode.taken(other));
    assertSame(other, HostNode.named(other, 1));
  }

  @Test
  void shouldNotWaitForACallThatDoesNotReturn() throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    IOException late =
        assertThrows(
            IOException.class,
            () ->
                LimitedCall.of(
                    () -> {
                      never.await();
                      return 1;
                    },
                    1,
                    "too late"));
    never.countDown();

    assertEquals("too late", late.getMessage());
    assertEquals(2, LimitedCall.of(() -> 2, 60_000, "late"));
    IOException failure = new IOException("no");
    assertSame(
        failure,
        assertThrows(
            IOException.class,
            () ->
                LimitedCall.of(
                    () -> {
                      throw failure;
                    },
                    60_000,
                    "late")));
  }
}
