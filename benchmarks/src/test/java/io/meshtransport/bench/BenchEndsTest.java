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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Both ends in one JVM, on two loopback addresses.
 *
 * <p>Also tests {@link Callers}, {@link ConnectionStreams}, {@link MeshReceives}, {@link
 * AcknowledgedSocket}, {@link AcknowledgedSocketEnd}, {@link MeshPingPong}, {@link MeshSends},
 * {@link MeshStream}, {@link NettyCallEcho}, {@link NettyCalls}, {@link NettyEcho}, {@link
 * NettyInbound}, {@link NettyMessages}, {@link NettyPinger}, {@link NettyReceiver}, {@link
 * NettySender}, {@link PolledConnections}, {@link SocketAddresses}, {@link SocketCalls}, {@link
 * SocketFrames}, {@link SocketStream}, {@link TestedChannels} and {@link VerbsRoundTrips}.
 */
@Tag("slow")
@Timeout(60)
class BenchEndsTest {
  private static final Duration WARM_UP = Duration.ofMillis(50);

  /** Longer than the warm-up: an end whose clock starts late measures something all the same. */
  private static final Duration SHORT = Duration.ofMillis(150);

  private static final long LIMIT_S = 30;
  private static final int MANY = 20;
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
    shouldAgreeOn(Workload.stream(1 << 20, 4).limitedTo(12));
    assertThrows(
        IllegalArgumentException.class, () -> initiator.initiate(Workload.calls(64, 1), clock()));
  }

  @Test
  void shouldCountAndCheckTheSameCallsAtBothEndsOfASession() throws Exception {
    join(
        SessionEnd.open(Map.of("MESH_LOOPBACK", "127.78.4.1/24", "MESH_NODE", "a")),
        SessionEnd.open(Map.of("MESH_LOOPBACK", "127.78.4.2/24", "MESH_NODE", "b")));

    shouldAgreeOn(Workload.calls(64, 1));
    shouldAgreeOn(Workload.calls(1024, 8));
    assertThrows(
        IllegalArgumentException.class,
        () -> initiator.respond(Workload.pingPong(8, Waiting.PARK), clock()));
  }

  @Test
  @Tag("slow")
  void shouldCountAndCheckTheSameMessagesAtBothEndsOfASocket() throws Exception {
    join(SocketEnd.open(HOST), SocketEnd.open(HOST));

    shouldAgreeOn(Workload.stream(1 << 20, 4));
    shouldAgreeOn(Workload.stream(1 << 20, 4).limitedTo(12));
    shouldAgreeOn(Workload.calls(64, 1));
    shouldAgreeOn(Workload.calls(1024, 8));

    shouldAgreeOn(Workload.pingPong(8, Waiting.PARK));
    shouldAgreeOn(Workload.pingPong(4096, Waiting.PARK));
    shouldAgreeOn(Workload.pingPong(8, Waiting.SPIN));
  }

  @Test
  @Tag("slow")
  void shouldCountAndCheckTheSameMessagesAtBothEndsOfNetty() throws Exception {
    Assumptions.assumeTrue(
        Epoll.isAvailable(),
        () -> "Netty has no native epoll here: " + Epoll.unavailabilityCause());
    join(NettyEnd.open(HOST), NettyEnd.open(HOST));

    shouldAgreeOn(Workload.pingPong(8, Waiting.PARK));
    shouldAgreeOn(Workload.pingPong(4096, Waiting.PARK));
    shouldAgreeOn(Workload.calls(64, 1));
    shouldAgreeOn(Workload.calls(1024, 8));
    shouldAgreeOn(Workload.stream(64 << 10, 2));
  }

  @Test
  void shouldCountAndCheckTheMessagesOfManyConnectionsOfOurs() throws Exception {
    join(
        MeshConnectionsEnd.open(Map.of("MESH_LOOPBACK", "127.78.3.1/24")),
        MeshConnectionsEnd.open(Map.of("MESH_LOOPBACK", "127.78.3.2/24")),
        MANY);

    Workload streams = Workload.stream(16 << 10, 2).onConnections(MANY);
    shouldAgreeOn(streams);
    shouldReceiveWhatIsSent(streams);
    assertThrows(
        IllegalArgumentException.class, () -> initiator.initiate(Workload.calls(64, 1), clock()));
  }

  @Test
  void shouldCountAndCheckTheMessagesOfManyConnectionsOverOneSocket() throws Exception {
    join(AcknowledgedSocketEnd.open(HOST), AcknowledgedSocketEnd.open(HOST), MANY);

    Workload streams = Workload.stream(16 << 10, 2).onConnections(MANY);
    shouldAgreeOn(streams);
    shouldReceiveWhatIsSent(streams);
  }

  @Test
  void shouldCountAndCheckTheMessagesOfManyConnectionsOfNetty() throws Exception {
    Assumptions.assumeTrue(
        Epoll.isAvailable(),
        () -> "Netty has no native epoll here: " + Epoll.unavailabilityCause());
    join(NettyEnd.open(HOST), NettyEnd.open(HOST), MANY);

    Workload streams = Workload.stream(16 << 10, 2).onConnections(MANY);
    shouldAgreeOn(streams);
    shouldReceiveWhatIsSent(streams);
  }

  @Test
  void shouldRefuseSeveralConnectionsWhereAnEndHasOne() throws Exception {
    join(SocketEnd.open(HOST), SocketEnd.open(HOST));

    assertThrows(
        IllegalArgumentException.class, () -> initiator.connect(responder.address(), true, 2));
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
        () -> initiator.respond(Workload.pingPong(8, Waiting.SPIN), clock()));
    assertThrows(
        IllegalArgumentException.class,
        () -> initiator.respond(Workload.pingPong(4096, Waiting.PARK), clock()));
  }

  private void join(BenchEnd one, BenchEnd other) throws Exception {
    join(one, other, 1);
  }

  private void join(BenchEnd one, BenchEnd other, int connections) throws Exception {
    initiator = one;
    responder = other;
    CompletableFuture<Void> responding =
        async(
            () -> {
              responder.connect(initiator.address(), false, connections);
              return null;
            });
    initiator.connect(responder.address(), true, connections);
    responding.get(LIMIT_S, TimeUnit.SECONDS);
  }

  private static RunClock clock() {
    return new RunClock(WARM_UP, SHORT);
  }

  private static RunClock clock(Workload workload) {
    return workload.messageLimit() > 0 ? RunClock.ofMessages(workload.messageLimit()) : clock();
  }

  /** Measured where messages arrive. */
  private void shouldReceiveWhatIsSent(Workload workload) throws Exception {
    Measurement responded = shouldAgreeOn(workload);

    assertTrue(responded.messages() > 0 && responded.rate() > 0, responded.toString());
    assertTrue(responded.messages() < responded.total(), "without the warm-up: " + responded);
  }

  private Measurement shouldAgreeOn(Workload workload) throws Exception {
    CompletableFuture<Measurement> responding =
        async(() -> responder.respond(workload, clock(workload)));
    Measurement initiated = initiator.initiate(workload, clock(workload));
    Measurement responded = responding.get(LIMIT_S, TimeUnit.SECONDS);

    assertEquals(initiated.total(), responded.total(), workload.toString());
    assertTrue(initiated.messages() > 0 && initiated.rate() > 0, initiated.toString());
    assertTrue(initiated.verified() + responded.verified() > 0, initiated + " " + responded);
    assertEquals(
        workload.kind() != Workload.Kind.STREAM,
        initiated.medianMicros() > 0,
        initiated.toString());
    if (workload.messageLimit() > 0) {
      assertEquals(workload.messageLimit(), initiated.total(), workload.toString());
    }
    return responded;
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
