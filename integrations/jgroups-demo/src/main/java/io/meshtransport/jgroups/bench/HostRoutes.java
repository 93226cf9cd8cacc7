package io.meshtransport.jgroups.bench;

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
 * What lets stock TCP work on a mesh without a switch: each node has one address of its own, a /32
 * on its loopback interface, and a static route over the right cable to the address of each peer.
 */
final class HostRoutes {
  /** Of stock TCP, as in JGroups' tcp.xml. */
  static final int PORT = 7800;

  private static final String PREFIX = "10.88.0.";
  private static final int LIMIT_SECONDS = 20;

  private final Topology topology;

  /**
   * @param topology in which each two nodes share a cable
   */
  HostRoutes(Topology topology) {
    this.topology = topology;
    if (topology.nodes().size() > 254) {
      throw new IllegalArgumentException("a node for each of 254 addresses, no more");
    }
  }

  /** The address of a node that all others have a route to. */
  String address(String node) {
    return PREFIX + (topology.nodes().indexOf(node) + 1);
  }

  /** The arguments of ip(8) that make a node reachable and its peers reachable from it. */
  List<List<String>> commands(String node) {
    List<List<String>> commands = new ArrayList<>();
    commands.add(List.of("addr", "add", address(node) + "/32", "dev", "lo"));
    for (String peer : topology.nodes()) {
      if (!peer.equals(node)) {
        Cable cable = topology.cablesBetween(node, peer).get(0);
        commands.add(
            List.of(
                "route",
                "add",
                address(peer) + "/32",
                "via",
                cable.end(peer).address().address().getHostAddress(),
                "dev",
                topology.interfaceName(cable, node),
                "src",
                address(node)));
      }
    }
    return commands;
  }

  /**
   * Sets them up at all nodes; they go with the fabric.
   *
   * @throws FabricException if ip(8) says no
   */
  void lay(Fabric fabric) {
    for (String node : topology.nodes()) {
      commands(node).forEach(arguments -> run(fabric, node, arguments));
    }
  }

  private static void run(Fabric fabric, String node, List<String> arguments) {
    List<String> words = new ArrayList<>(List.of("ip"));
    words.addAll(arguments);
    String command = String.join(" ", words) + " at node " + node;
    try {
      Process ip = fabric.start(node, new ProcessBuilder(words).redirectErrorStream(true));
      // It prints a line at most, which a pipe holds.
      if (!ip.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        ip.destroyForcibly();
        throw new FabricException(command + " was not done after " + LIMIT_SECONDS + " s");
      }
      String answer = new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (ip.exitValue() != 0) {
        throw new FabricException(command + " failed: " + answer.strip());
      }
    } catch (IOException e) {
      throw new FabricException(command + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException(command + ": interrupted", e);
    }
  }
}
