// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.routes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan in the kernel: a dummy interface with this node's address, a route per other node, and
 * IPv6 forwarding, whose value before is kept as the interface's alias, so that another process can
 * restore it. Routes carry a protocol number of their own. One thread.
 */
public final class KernelRoutes {
  /** Name of the dummy interface. */
  public static final String INTERFACE = "mesh-routes";

  /** Free in /etc/iproute2/rt_protos. */
  private static final String PROTOCOL = "77";

  private static final Path FORWARDING = Path.of("/proc/sys/net/ipv6/conf/all/forwarding");
  private static final String ALIAS = "forwarding was ";

  private RoutePlan applied;

  /**
   * Makes the kernel's routes those of a plan; one that is applied costs nothing.
   *
   * @throws IOException if the kernel refuses, for lack of rights say
   */
  public void apply(RoutePlan plan) throws IOException {
    if (plan.equals(applied)) {
      return;
    }
    if (applied == null) {
      remove();
      String before = Files.readString(FORWARDING).strip();
      if (!run("link", "add", INTERFACE, "type", "dummy").isEmpty()) {
        // Kernels without the dummy driver have a bridge, which without ports is the same.
        ip("link", "add", INTERFACE, "type", "bridge");
      }
      ip("link", "set", INTERFACE, "alias", ALIAS + before);
      ip("link", "set", INTERFACE, "up");
      ip("-6", "addr", "add", plan.own() + "/128", "dev", INTERFACE, "nodad");
      Files.writeString(FORWARDING, "1\n");
    }
    for (RoutePlan.Route each : plan.routes()) {
      if (applied == null || !applied.routes().contains(each)) {
        ip(words("replace", each, plan.own()));
      }
    }
    if (applied != null) {
      for (RoutePlan.Route each : applied.routes()) {
        if (plan.routes().stream().noneMatch(now -> now.address().equals(each.address()))) {
          // The kernel has removed it already if its interface went down.
          run(words("del", each, plan.own()));
        }
      }
    }
    applied = plan;
  }

  /** The words for ip. */
  static String[] words(String verb, RoutePlan.Route route, String own) {
    return new String[] {
      "-6",
      "route",
      verb,
      route.address() + "/128",
      "via",
      route.gateway(),
      "dev",
      route.interfaceName(),
      "proto",
      PROTOCOL,
      "src",
      own
    };
  }

  /**
   * Removes everything that was applied, by this process or by one that was killed. Returns whether
   * there was anything.
   */
  public boolean remove() throws IOException {
    applied = null;
    Path alias = Path.of("/sys/class/net", INTERFACE, "ifalias");
    if (!Files.exists(alias)) {
      return false;
    }
    String before = Files.readString(alias).strip();
    run("-6", "route", "flush", "proto", PROTOCOL);
    if (before.startsWith(ALIAS)) {
      Files.writeString(FORWARDING, before.substring(ALIAS.length()) + "\n");
    }
    ip("link", "del", INTERFACE);
    return true;
  }

  private static void ip(String... words) throws IOException {
    String said = run(words);
    if (!said.isEmpty()) {
      throw new IOException("ip " + String.join(" ", words) + ": " + said);
    }
  }

  /** What ip said if it failed; empty if it did not. */
  private static String run(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      return process.waitFor() == 0 ? "" : said + " (status " + process.exitValue() + ")";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
