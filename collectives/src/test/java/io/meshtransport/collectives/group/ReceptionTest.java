// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link Reception} of connections that come before, or after, this member joins their group. */
class ReceptionTest {
  private final Roster roster = new Roster(Rendezvous.inProcess(), "node-a", 2);
  private Transport transport;
  private Transport peer;

  @BeforeEach
  void open() throws Exception {
    transport = LoopbackGroup.transport(0, List.of(1));
    peer = LoopbackGroup.transport(1, List.of(1));
  }

  @AfterEach
  void close() {
    transport.close();
    peer.close();
  }

  private Connection connect(GroupHello hello) throws Exception {
    return peer.connect(
        roster.handle("node-a").orElseThrow(),
        MeshGroup.OPTIONS.hello(hello.encode()),
        LoopbackGroup.SOON);
  }

  @Test
  void shouldNotHandOutWhatItsMemberHasGivenUp() throws Exception {
    Reception reception = Reception.open(transport, roster, MeshGroup.OPTIONS);
    GroupHello stale = new GroupHello(0, "stale", 1, 0);
    connect(stale).close();
    await().atMost(60, TimeUnit.SECONDS).until(() -> reception.waiting() == 0);
    assertEquals(Optional.empty(), reception.take(stale.opener()));
    GroupHello live = new GroupHello(0, "live", 1, 0);
    try (Connection connection = connect(live)) {
      await().atMost(60, TimeUnit.SECONDS).until(() -> reception.waiting() == 1);
      Connection taken = reception.take(live.opener()).orElseThrow().connection();
      assertSame(ChannelState.READY, taken.state());
      assertSame(ChannelState.READY, connection.state());
      taken.close();
    }
    reception.release();
  }

  @Test
  void shouldKeepTheLaterAttemptInWhateverOrderTheyArrive() throws Exception {
    Reception reception = Reception.open(transport, roster, MeshGroup.OPTIONS);
    GroupHello later = new GroupHello(0, "g", 1, -1);
    try (Connection second = connect(later)) {
      await().atMost(60, TimeUnit.SECONDS).until(() -> reception.waiting() == 1);
      try (Connection first = connect(new GroupHello(0, "g", 1, 1))) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> !isReady(first));
      }
      assertTrue(isReady(second));
      assertEquals(later, reception.take(later.opener()).orElseThrow().hello());
    }
    reception.release();
  }

  /** It counts its attempts anew, and this end may not know yet that the one before has ended. */
  @Test
  void shouldKeepWhatAMemberOpensThatHasStartedAgain() throws Exception {
    Reception reception = Reception.open(transport, roster, MeshGroup.OPTIONS);
    try (Connection before = connect(new GroupHello(0, "g", 1, 7))) {
      await().atMost(60, TimeUnit.SECONDS).until(() -> reception.waiting() == 1);
      GroupHello now = new GroupHello(0, "g", 2, 0);
      try (Connection opened = connect(now)) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> !isReady(before));
        assertTrue(isReady(opened));
        assertEquals(now, reception.take(now.opener()).orElseThrow().hello());
      }
    }
    reception.release();
  }

  private static boolean isReady(Connection connection) {
    connection.awaitProgress(connection.progressCount(), Duration.ZERO);
    return connection.state() == ChannelState.READY;
  }

  /** What looks the node up finds a listener of the program's, which knows what to do with it. */
  @Test
  void shouldNotBeFoundByThoseThatLookTheNodeUp() throws Exception {
    GroupSpec alone = GroupSpec.named("g").size(1);
    try (Group group = Group.join(transport, alone, Rendezvous.inProcess(), LoopbackGroup.SOON);
        Listener ofProgram = transport.listen()) {
      String address = transport.nics().get(0).addresses().get(0).split("/")[0];
      byte[] found =
          peer.lookup(new InetSocketAddress(address, transport.handshakePort()))
              .get(LoopbackGroup.SOON.toSeconds(), TimeUnit.SECONDS);
      assertArrayEquals(ofProgram.handle(), found, group.describe());
    }
  }

  /** The listener of a member that could not publish is closed. */
  @Test
  void shouldLeaveNothingOpenWhenItsHandleCannotBePublished() {
    AtomicReference<Listener> listener = new AtomicReference<>();
    Transport watched =
        (Transport)
            Proxy.newProxyInstance(
                Transport.class.getClassLoader(),
                new Class<?>[] {Transport.class},
                (proxy, method, arguments) -> {
                  Object result = method.invoke(transport, arguments);
                  if (result instanceof Listener opened) {
                    listener.set(opened);
                  }
                  return result;
                });
    Rendezvous full =
        new Rendezvous() {
          @Override
          public void publish(String member, byte[] handle) {
            throw new IllegalArgumentException("8 services are published already");
          }

          @Override
          public List<String> members() {
            return List.of();
          }

          @Override
          public Optional<byte[]> handle(String member) {
            return Optional.empty();
          }
        };
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Group.join(watched, GroupSpec.named("g").size(1), full, LoopbackGroup.SOON));
    assertTrue(refused.getMessage().contains("8 services"), refused.getMessage());
    assertTrue(listener.get().acceptConnection().isCompletedExceptionally());
  }
}
