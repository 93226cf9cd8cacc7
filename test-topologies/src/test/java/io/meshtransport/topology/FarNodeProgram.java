// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;

/**
 * Joins the mesh by the SPI, waits for as many nodes as its first argument says, connects to the
 * one that the second names, if there is one, and prints what became of it, until its input ends.
 */
final class FarNodeProgram {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private FarNodeProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport transport = Transport.open();
        Listener listener = transport.listen();
        Mesh mesh = Mesh.join(transport)) {
      mesh.publish("greeting", listener.handle());
      mesh.awaitNodes(Integer.parseInt(arguments[0]), LIMIT);
      System.out.println("all nodes are known");
      if (arguments.length > 1) {
        connect(mesh, arguments[1]);
      }
      while (System.in.read() >= 0) {}
    }
  }

  private static void connect(Mesh mesh, String node) {
    try (Connection connection = mesh.connect(node, "greeting", ConnectOptions.DEFAULT, LIMIT)) {
      System.out.println("connected to " + connection.peer().name());
    } catch (TransportException e) {
      System.out.println("failed " + e.reason() + " " + e.getMessage().replace("\n", " | "));
    }
  }
}
