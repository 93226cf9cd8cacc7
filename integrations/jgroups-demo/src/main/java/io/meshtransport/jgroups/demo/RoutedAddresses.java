// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One address per node that every peer reaches: a /32 on its loopback interface, and at each peer a
 * host route over their cable. That is what stock TCP needs on a mesh, and an administrator has to
 * maintain it. Only for a fabric with real cables, whose close removes it.
 */
public final class RoutedAddresses {
  private static final String PREFIX = "10.99.0.";
  private static final int MOST = 254;
  private static final long LIMIT_S = 20;

  private RoutedAddresses() {}

  /**
   * The address of a node: 10.99.0.N/32, where N is its number, from 1 on.
   *
   * @throws IllegalArgumentException if the node is not one of the first 254
   */
  public static String of(Topology topology, String node) {
    int number = topology.nodes().indexOf(node) + 1;
    if (number < 1 || number > MOST) {
      throw new IllegalArgumentException(
          "node %s has number %d, of 1..%d".formatted(node, number, MOST));
    }
    return PREFIX + number;
  }

  /** The same of a fabric's topology. */
  public static String of(Fabric fabric, String node) {
    return of(fabric.topology(), node);
  }

  /** Sets it up. */
  public static void configure(Fabric fabric) {
    for (String node : fabric.topology().nodes()) {
      commands(fabric.topology(), node).forEach(words -> run(fabric, node, words));
    }
  }

  /** What makes a node reachable, and its peers reachable from it. */
  static List<List<String>> commands(Topology topology, String node) {
    List<List<String>> commands = new ArrayList<>();
    String own = of(topology, node);
    commands.add(List.of("ip", "addr", "replace", own + "/32", "dev", "lo"));
    for (String peer : topology.peersOf(node)) {
      Cable cable = topology.cablesBetween(node, peer).get(0);
      String to = of(topology, peer) + "/32";
      String via = GroupStack.address(cable, peer);
      commands.add(List.of("ip", "route", "replace", to, "via", via, "src", own));
    }
    return commands;
  }

  private static void run(Fabric fabric, String node, List<String> words) {
    String what = node + ": `" + String.join(" ", words) + '`';
    try {
      Process process = fabric.start(node, new ProcessBuilder(words).redirectErrorStream(true));
      process.getOutputStream().close();
      if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new FabricException(what + " was not done after " + LIMIT_S + " s");
      }
      if (process.exitValue() != 0) {
        String output =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        throw new FabricException(what + " failed: " + output);
      }
    } catch (IOException e) {
      throw new FabricException(what + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException(what + ": interrupted", e);
    }
  }

  /** A stack of stock TCP on these addresses. */
  public static GroupStack stack(Fabric fabric) {
    return GroupStack.stockTcp(fabric.topology(), node -> of(fabric, node));
  }
}
