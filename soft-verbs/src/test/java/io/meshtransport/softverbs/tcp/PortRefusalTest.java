// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WirePort;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A data port that a device cannot have: the text says why, and what to do about that. */
class PortRefusalTest {
  private static final String ADDRESS = "127.77.71.9";
  private static final Path FIRST_UNPRIVILEGED =
      Path.of("/proc/sys/net/ipv4/ip_unprivileged_port_start");

  /** tcpmux, which no host serves. */
  private static final int PRIVILEGED = 1;

  private static final int SECONDS = 60;

  @Test
  void shouldDistinguishAPortInUseFromOneThatIsForbidden() {
    String taken =
        new PortRefusal(4792, ADDRESS, new BindException("Address already in use")).text();
    assertTrue(taken.contains("is taken at " + ADDRESS), taken);
    assertTrue(taken.contains("ss -ltnp"), taken);
    String denied = new PortRefusal(80, ADDRESS, new BindException("Permission denied")).text();
    assertFalse(denied.contains("is taken"), denied);
    for (String part :
        List.of("MESH_DATA_PORT", "above 1023", "CAP_NET_BIND_SERVICE", ADDRESS, "port 80")) {
      assertTrue(denied.contains(part), denied);
    }
  }

  @Test
  void shouldQuoteTheKernelAboutAPortInUse() throws Exception {
    try (ServerSocket other = new ServerSocket()) {
      other.bind(new InetSocketAddress(ADDRESS, 0));
      VerbsException refused =
          assertThrows(
              VerbsException.class,
              () ->
                  new SoftProvider()
                      .open("lo-" + ADDRESS, new WirePort(other.getLocalPort(), true)));
      assertTrue(refused.getMessage().contains("is taken at"), refused.getMessage());
      assertTrue(refused.getMessage().contains("in use"), refused.getMessage());
    }
  }

  @Test
  void shouldNameThePrivilegeThatAPortBelow1024Needs() throws Exception {
    assumeTrue(firstUnprivileged() > PRIVILEGED, "every process may have every port here");
    List<String> command = new ArrayList<>();
    if (maySetBounds()) {
      // Root without it; a process without the right to set bounds lacks the capability, too.
      command.addAll(
          List.of(
              "setpriv", "--bounding-set=-net_bind_service", "--inh-caps=-net_bind_service", "--"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName()));
    String output = output(command, 0);
    assertTrue(output.contains("may not listen on TCP port " + PRIVILEGED), output);
    assertTrue(output.contains("CAP_NET_BIND_SERVICE"), output);
    assertFalse(output.contains("is taken"), output);
  }

  /** The kernel gives the number to the first read alone, so that one must take all of it. */
  private static int firstUnprivileged() throws IOException {
    if (!Files.exists(FIRST_UNPRIVILEGED)) {
      return 0;
    }
    try (InputStream in = Files.newInputStream(FIRST_UNPRIVILEGED)) {
      byte[] text = new byte[Long.SIZE];
      return Integer.parseInt(
          new String(text, 0, in.read(text), StandardCharsets.US_ASCII).strip());
    }
  }

  private static boolean maySetBounds() throws Exception {
    try {
      Process probe =
          new ProcessBuilder("setpriv", "--bounding-set=-net_bind_service", "true")
              .redirectErrorStream(true)
              .start();
      probe.getInputStream().readAllBytes();
      return probe.waitFor() == 0;
    } catch (IOException e) {
      return false; // There is no setpriv.
    }
  }

  private static String output(List<String> command, int exit) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream said = process.getInputStream()) {
      String output = new String(said.readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS));
      assertEquals(exit, process.exitValue(), output);
      return output;
    } finally {
      process.destroyForcibly();
    }
  }

  /** A process without the capability. */
  static final class Program {
    private Program() {}

    public static void main(String[] none) {
      VerbsException refused =
          assertThrows(
              VerbsException.class,
              () -> new SoftProvider().open("lo-" + ADDRESS, new WirePort(PRIVILEGED, true)));
      System.out.println(refused.getMessage());
    }
  }
}
