// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.Transport;
import java.time.Duration;

/**
 * Publishes a service and, for each byte of its input, connects to that of the node that its
 * argument names. Prints a line per event, until its input ends.
 */
final class ConnectingProgram {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private ConnectingProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport transport = Transport.open();
        Listener listener = transport.listen();
        Mesh mesh = Mesh.join(transport)) {
      mesh.subscribe(new Lines());
      mesh.publish("greeting", listener.handle());
      while (System.in.read() >= 0) {
        System.out.println("connecting");
        Connection connection =
            mesh.connect(arguments[0], "greeting", ConnectOptions.DEFAULT, LIMIT);
        System.out.println("connected to " + connection.peer());
      }
    }
    System.out.println("ended");
  }

  private static final class Lines implements MeshEventListener {
    @Override
    public void servicePublished(MeshNode node, String service) {
      System.out.println("published " + node.peer());
    }

    @Override
    public void verdict(MeshNode node) {
      System.out.println("verdict " + node.peer().name() + " " + node.state());
    }

    @Override
    public void linkUp(MeshLink link) {
      System.out.println("link up " + link.one().name() + " " + link.other().name());
    }

    @Override
    public void linkDown(MeshLink link) {
      System.out.println("link down " + link.one().name() + " " + link.other().name());
    }
  }
}
