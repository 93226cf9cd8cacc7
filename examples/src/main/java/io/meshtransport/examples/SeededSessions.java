// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.session.directory.Membership;
import io.meshtransport.session.directory.Seed;
import io.meshtransport.session.directory.SeedNodes;
import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Two nodes, one of which knows an address of the other and nothing else. */
public final class SeededSessions {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private SeededSessions() {}

  /** No arguments. */
  public static void main(String[] args) throws Exception {
    CompletableFuture<String> heard = new CompletableFuture<>();
    MessageHandler handler =
        new MessageHandler() {
          @Override
          public void onMessage(PeerSession from, ByteBuffer message) {
            heard.complete(from.name() + " says " + UTF_8.decode(message));
          }
        };
    ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
    try (Transport a = open("a", "127.78.7.1/24");
        Transport b = open("b", "127.78.7.2/24");
        SeedNodes ofA = seedNodes(a, timer);
        SeedNodes ofB = seedNodes(b, timer);
        Session atA = Session.open(a, ofA, handler, SessionOptions.DEFAULT);
        Session atB = Session.open(b, ofB, handler, SessionOptions.DEFAULT)) {
      ofA.start(atA, "a", List.of());
      ofB.start(atB, "b", Seed.parse("127.78.7.1", a.handshakePort()));
      // A name is enough: it waits until its node is found, and connects to it.
      atB.to("a").send(UTF_8.encode("hello"), LIMIT);
      System.out.println(heard.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
    } finally {
      timer.shutdownNow();
    }
  }

  private static SeedNodes seedNodes(Transport transport, ScheduledExecutorService timer) {
    return new SeedNodes(
        transport,
        Membership.NONE,
        30_000,
        (delayMs, task) -> timer.schedule(task, delayMs, TimeUnit.MILLISECONDS));
  }

  private static Transport open(String name, String loopback) throws Exception {
    Map<String, String> node = Map.of("MESH_NODE", name, "MESH_LOOPBACK", loopback);
    return Transport.open(node);
  }
}
