// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link LinkProbe}, and how {@link ExtraCables} waits, at a neighbour that a test plays. */
class LinkProbeTest {
  private static final GroupMembership PAIR =
      new GroupMembership("g", "g", 0, List.of("a", "b"), 0);

  private final AtomicInteger sends = new AtomicInteger();
  private final Connection neighbour =
      fake(
          Connection.class,
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "state" -> ChannelState.READY;
                case "maxRequests" -> MemberLinks.REQUESTS;
                case "irecv" -> 0L;
                case "isend" -> (long) sends.incrementAndGet();
                default -> null;
              });
  private final RegisteredMemory memory =
      fake(
          RegisteredMemory.class,
          (proxy, method, arguments) ->
              method.getName().equals("segments") ? List.of(ByteBuffer.allocate(64)) : null);
  private final Poller poller =
      fake(
          Poller.class,
          (proxy, method, arguments) -> method.getReturnType() == int.class ? 0 : null);
  private final Transport transport =
      fake(
          Transport.class,
          (proxy, method, arguments) -> method.getName().equals("newPoller") ? poller : memory);
  private LocalRank rank;

  private static <T> T fake(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  @BeforeEach
  void join() throws Exception {
    rank = new LocalRank(PAIR, new MemberLinks(transport, 2));
    rank.join(1, neighbour);
  }

  /** Else they went on beside the first operations, up to thousands of them. */
  @Test
  void shouldPingOnlyWhileItMeasuresRoundTrips() {
    rank.lock();
    try {
      LinkProbe probe = new LinkProbe(rank);
      probe.handle(1, new RankMessage(RankMessage.Kind.PING, 1, 0, new byte[0]));
      assertEquals(1, sends.get(), "the neighbour measures");
      probe.handle(1, new RankMessage(RankMessage.Kind.PONG, 1, 0, new byte[0]));
      assertEquals(1, sends.get());
    } finally {
      rank.unlock();
    }
  }

  @Test
  void shouldGiveUpAnAttemptWhenTheGroupFailsMeanwhile() {
    Deadline soon = Deadline.after(Duration.ofSeconds(20));
    ExtraCables cables = new ExtraCables(null, rank, MeshGroup.OPTIONS, soon);
    ChannelFuture<Connection> attempt = new ChannelFuture<>();
    rank.lock();
    try {
      rank.fail(new Failure(Reason.ABORTED, 1, "b aborted"));
      assertThrows(CollectiveException.class, () -> cables.await(attempt));
    } finally {
      rank.unlock();
    }
    assertTrue(attempt.isCancelled());
  }
}
