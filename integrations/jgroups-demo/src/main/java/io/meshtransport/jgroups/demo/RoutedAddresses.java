package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * One address per node that every peer reaches: a /32 on its loopback interface, and at each peer a
 * host route over their cable. That is what stock TCP needs on a mesh, and somebody has to maintain
 * it. Only for a fabric with real cables, whose close takes it away.
 */
public final class RoutedAddresses {
  private static final long LIMIT_S = 20;

  private RoutedAddresses() {}

  /** The address of a node: 10.99.0.N/32, where N is its number, from 1 on. */
  public static String of(Fabric fabric, String node) {
    return "10.99.0." + (fabric.topology().nodes().indexOf(node) + 1);
  }

  /** Sets it up. */
  public static void lay(Fabric fabric) {
    for (String node : fabric.topology().nodes()) {
      run(fabric, node, "ip", "addr", "replace", of(fabric, node) + "/32", "dev", "lo");
      for (String peer : fabric.topology().peersOf(node)) {
        Cable cable = fabric.topology().cablesBetween(node, peer).get(0);
        run(
            fabric,
            node,
            "ip",
            "route",
            "replace",
            of(fabric, peer) + "/32",
            "via",
            GroupStack.address(cable, peer),
            "src",
            of(fabric, node));
      }
    }
  }

  private static void run(Fabric fabric, String node, String... words) {
    String what = node + ": `" + String.join(" ", words) + '`';
    try {
      Process process = fabric.start(node, new ProcessBuilder(words).redirectErrorStream(true));
      process.getOutputStream().close();
      if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new FabricException(what + " was not done after " + LIMIT_S + " s");
      }
      if (process.exitValue() != 0) {
        String said =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        throw new FabricException(what + " failed: " + said);
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
