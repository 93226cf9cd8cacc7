// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Lets the kernels of a line of nodes forward IP, with a route to each cable at each node. */
final class KernelForwarding {
  private KernelForwarding() {}

  /**
   * Sets it up.
   *
   * @param fabric whose cables join each node to the next, in this order
   * @throws FabricException if a node refuses
   */
  static void over(Fabric fabric) {
    Topology line = fabric.topology();
    for (int node = 0; node < line.nodes().size(); node++) {
      StringBuilder script = new StringBuilder("echo 1 > /proc/sys/net/ipv4/ip_forward");
      for (int cable = 0; cable < line.cables().size(); cable++) {
        boolean isRight = cable > node;
        if (isRight || cable < node - 1) {
          Cable next = line.cables().get(isRight ? node : node - 1);
          script
              .append(" && ip route add ")
              .append(line.cables().get(cable).subnet())
              .append(" via ")
              .append(
                  next.end(next.peerOf(line.nodes().get(node)))
                      .address()
                      .address()
                      .getHostAddress());
        }
      }
      run(fabric, line.nodes().get(node), script.toString());
    }
  }

  private static void run(Fabric fabric, String node, String script) {
    try {
      Process process =
          fabric.start(node, new ProcessBuilder("sh", "-c", script).redirectErrorStream(true));
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new FabricException(node + " does not forward: " + said.strip());
      }
    } catch (IOException e) {
      throw new FabricException(node + " does not forward: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException("interrupted");
    }
  }
}
