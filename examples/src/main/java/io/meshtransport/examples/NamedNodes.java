// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * Every node of a mesh greets every other one by its name, and no address is written down anywhere.
 * Run one on each machine, with the number of machines, each with a cable to each other.
 */
public final class NamedNodes {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int GREETING = 1;

  private NamedNodes() {}

  public static void main(String[] arguments) throws Exception {
    int count = Integer.parseInt(arguments[0]);
    try (Transport transport = Transport.open();
        Listener listener = transport.listen();
        Mesh mesh = Mesh.join(transport)) {
      mesh.publish("greeting", listener.handle());
      if (!mesh.awaitNodes(count, SOON)) {
        throw new IllegalStateException("there are only " + mesh.nodes());
      }
      List<MeshNode> others = mesh.nodes();
      String self = mesh.self().peer().name();
      for (MeshNode other : others) {
        // Of two nodes, the one whose name comes first connects.
        String name = other.peer().name();
        try (Connection connection =
            self.compareTo(name) < 0
                ? mesh.connect(name, "greeting", ConnectOptions.DEFAULT, SOON)
                : listener.acceptConnection(SOON)) {
          System.out.println(greet(connection, "hello from " + self));
        }
      }
      System.out.println(self + " has greeted " + others.size() + " nodes");
    }
  }

  private static String greet(Connection connection, String greeting) throws Exception {
    ByteBuffer incoming = ByteBuffer.allocate(64);
    long receive = connection.irecv(incoming, GREETING);
    connection.send(ByteBuffer.wrap(greeting.getBytes()), GREETING, SOON);
    long length = connection.await(receive, SOON);
    if (length == Channel.PENDING) {
      throw Thread.interrupted()
          ? new InterruptedException("while waiting for " + connection.peer())
          : new IllegalStateException(connection.peer() + " has not greeted within " + SOON);
    }
    if (length == Channel.FAILED) {
      throw connection.failure(receive);
    }
    return new String(incoming.array(), 0, (int) length);
  }
}
