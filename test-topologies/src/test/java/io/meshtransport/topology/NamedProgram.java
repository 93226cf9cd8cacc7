// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.Reply;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.session.directory.MeshNodes;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;

/**
 * Joins the mesh by the SPI, waits for as many nodes as its argument says, connects to each other
 * one by its name, and exchanges a message with it. Prints a line per event, until its input ends.
 */
final class NamedProgram {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int TAG = 1;
  private static final int BYTES = 32;

  /** Of messages that are never sent, and never received. */
  private static final int AWAITED_TAG = 2;

  private static final int UNWANTED_TAG = 3;

  private NamedProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport transport = Transport.open();
        Listener listener = transport.listen();
        Mesh mesh = Mesh.join(transport)) {
      run(arguments, transport, listener, mesh);
    } catch (Exception e) {
      System.out.println("failed: " + e);
      throw e;
    }
    System.out.println("ended");
  }

  private static void run(String[] arguments, Transport transport, Listener listener, Mesh mesh)
      throws Exception {
    mesh.subscribe(new Lines());
    mesh.publish("greeting", listener.handle());
    if (!mesh.awaitNodes(Integer.parseInt(arguments[0]), LIMIT)) {
      throw new IllegalStateException("only " + mesh.nodes());
    }
    Set<String> greeted = new TreeSet<>();
    for (MeshNode each : mesh.nodes()) {
      String name = each.peer().name();
      // Of two nodes, the one whose name comes first connects.
      boolean isConnecting = mesh.self().peer().name().compareTo(name) < 0;
      System.out.println(isConnecting ? "connects to " + name : "accepts a node");
      Connection connection =
          isConnecting
              ? mesh.connect(name, "greeting", ConnectOptions.DEFAULT, LIMIT)
              : listener.acceptConnection(LIMIT);
      System.out.println("connected to " + connection.peer().name());
      greeted.add(exchange(connection, mesh.self().peer().name()));
      awaitEnds(connection);
    }
    System.out.println("greeted by " + greeted);
    callAll(transport, mesh);
    try {
      mesh.connect("nobody", "greeting", ConnectOptions.DEFAULT, Duration.ofMillis(100));
    } catch (TransportException e) {
      System.out.println("refused " + e.reason() + " " + e.getMessage());
    }
    // Records of cables may come a little later than those of nodes.
    Awaitility.await().atMost(LIMIT).until(() -> mesh.links().size() == mesh.nodes().size() + 1);
    System.out.println("all cables are known");
    while (System.in.read() >= 0) {}
  }

  /** Sessions find each other by names alone. */
  private static void callAll(Transport transport, Mesh mesh) throws Exception {
    MessageHandler handler =
        new MessageHandler() {
          @Override
          public void onMessage(PeerSession from, ByteBuffer message) {
            // There are requests only.
          }

          @Override
          public void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
            if (request.hasRemaining()) {
              reply.send(UTF_8.encode(mesh.self().peer().name()));
            }
          }
        };
    MeshNodes nodes = new MeshNodes(mesh, "sessions");
    Session session = Session.open(transport, nodes, handler, SessionOptions.DEFAULT);
    nodes.start(session);
    Set<String> answers = new TreeSet<>();
    for (MeshNode each : mesh.nodes()) {
      PeerSession peer = session.to(each.peer().name());
      answers.add(UTF_8.decode(peer.call(UTF_8.encode("who?"), LIMIT)).toString());
    }
    System.out.println("answered by " + answers);
    for (PeerSession each : session.peers()) {
      // Never answered.
      each.request(ByteBuffer.allocate(0), Duration.ofHours(1))
          .whenComplete((reply, why) -> System.out.println("lost " + why.getMessage()));
    }
  }

  /** A receive and a send that only the end of the connection ends; prints a line then. */
  private static void awaitEnds(Connection connection) {
    ByteBuffer wanted = ByteBuffer.allocateDirect(BYTES);
    ByteBuffer unwanted = ByteBuffer.allocateDirect(BYTES);
    long receive = connection.irecv(wanted, AWAITED_TAG, Connection.NO_DEADLINE);
    long send = connection.isend(unwanted, UNWANTED_TAG, Connection.NO_DEADLINE);
    Thread waiting =
        new Thread(
            () ->
                System.out.println(
                    "ended "
                        + connection.peer().name()
                        + ": receive "
                        + end(connection, receive)
                        + " send "
                        + end(connection, send)),
            "awaits-ends");
    waiting.setDaemon(true);
    waiting.start();
  }

  private static String end(Connection connection, long request) {
    while (connection.await(request, LIMIT) == Connection.PENDING) {}
    return connection.failure(request).summary();
  }

  private static String exchange(Connection connection, String name) throws TransportException {
    ByteBuffer mine = ByteBuffer.allocateDirect(BYTES).put(UTF_8.encode(name)).flip();
    ByteBuffer theirs = ByteBuffer.allocateDirect(BYTES);
    long received = connection.irecv(theirs, TAG);
    connection.send(mine, TAG, LIMIT);
    long lengthBytes = connection.await(received, LIMIT);
    return UTF_8.decode(theirs.clear().limit((int) lengthBytes)).toString();
  }

  private static final class Lines implements MeshEventListener {
    @Override
    public void nodeAppeared(MeshNode node) {
      System.out.println("appeared " + node.peer().name());
    }

    @Override
    public void verdict(MeshNode node) {
      System.out.println(
          "verdict " + node.peer().name() + " " + node.state() + " " + node.evidence());
    }
  }
}
