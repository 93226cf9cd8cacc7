// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.bench.Workload.Waiting;
import io.meshtransport.softverbs.SoftProvider;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Both ends in one JVM, on two loopback addresses.
 *
 * <p>Also tests {@link MeshReceives}, {@link MeshPingPong}, {@link MeshSends}, {@link MeshStream},
 * {@link NettyEcho}, {@link NettyInbound}, {@link NettyMessages}, {@link NettyPinger}, {@link
 * SocketAddresses} and {@link VerbsRoundTrips}.
 */
@Timeout(60)
class BenchEndsTest {
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final long LIMIT_S = 30;
  private static final String HOST = "127.0.0.1";

  private BenchEnd initiator;
  private BenchEnd responder;

  @AfterEach
  void close() throws Exception {
    if (initiator != null) {
      initiator.close();
      responder.close();
    }
  }

  @Test
  void shouldCountAndCheckTheSameMessagesAtBothEndsOfOurs() throws Exception {
    join(
        MeshEnd.open(Map.of("MESH_LOOPBACK", "127.78.1.1/24")),
        MeshEnd.open(Map.of("MESH_LOOPBACK", "127.78.1.2/24")));

    shouldAgreeOn(Workload.stream(64, 64));
    shouldAgreeOn(Workload.stream(1 << 20, 3));
    shouldAgreeOn(Workload.pingPong(8, Waiting.PARK));
    shouldAgreeOn(Workload.pingPong(4096, Waiting.SPIN));
    shouldAgreeOn(Workload.pingPong(32 << 10, Waiting.PARK));
  }

  @Test
  void shouldCountAndCheckTheSameMessagesAtBothEndsOfASocket() throws Exception {
    join(SocketEnd.open(HOST), SocketEnd.open(HOST));

    shouldAgreeOn(Workload.pingPong(8, Waiting.PARK));
    shouldAgreeOn(Workload.pingPong(4096, Waiting.PARK));
    shouldAgreeOn(Workload.pingPong(8, Waiting.SPIN));
  }

  @Test
  void shouldCountAndCheckTheSameMessagesAtBothEndsOfNetty() throws Exception {
    Assumptions.assumeTrue(
        Epoll.isAvailable(),
        () -> "Netty has no native epoll here: " + Epoll.unavailabilityCause());
    join(NettyEnd.open(HOST), NettyEnd.open(HOST));

    shouldAgreeOn(Workload.pingPong(8, Waiting.PARK));
    shouldAgreeOn(Workload.pingPong(4096, Waiting.PARK));
  }

  @Test
  void shouldCountAndCheckTheSameMessagesAtBothEndsOfTheVerbsAlone() throws Exception {
    join(
        VerbsEnd.over(new SoftProvider().open("lo-127.78.2.1"), "127.78.2.1"),
        VerbsEnd.over(new SoftProvider().open("lo-127.78.2.2"), "127.78.2.2"));

    shouldAgreeOn(Workload.pingPong(4096, Waiting.SPIN));
    shouldAgreeOn(Workload.pingPong(4096, Waiting.SPIN));
    assertThrows(
        IllegalArgumentException.class,
        () -> initiator.respond(Workload.pingPong(8, Waiting.SPIN)));
    assertThrows(
        IllegalArgumentException.class,
        () -> initiator.respond(Workload.pingPong(4096, Waiting.PARK)));
  }

  private void join(BenchEnd one, BenchEnd other) throws Exception {
    initiator = one;
    responder = other;
    CompletableFuture<Void> responding =
        async(
            () -> {
              responder.connect(initiator.address(), false);
              return null;
            });
    initiator.connect(responder.address(), true);
    responding.get(LIMIT_S, TimeUnit.SECONDS);
  }

  private void shouldAgreeOn(Workload workload) throws Exception {
    CompletableFuture<Measurement> responding = async(() -> responder.respond(workload));
    Measurement initiated = initiator.initiate(workload, SHORT, SHORT);
    Measurement responded = responding.get(LIMIT_S, TimeUnit.SECONDS);

    assertEquals(initiated.total(), responded.total(), workload.toString());
    assertTrue(initiated.messages() > 0 && initiated.rate() > 0, initiated.toString());
    assertTrue(initiated.verified() + responded.verified() > 0, initiated + " " + responded);
    assertEquals(
        workload.kind() == Workload.Kind.PING_PONG,
        initiated.medianMicros() > 0,
        initiated.toString());
  }

  private interface Step<T> {
    T run() throws Exception;
  }

  private static <T> CompletableFuture<T> async(Step<T> step) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(step.run());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return result;
  }
}
