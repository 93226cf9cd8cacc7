// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.message.ConnectionRails;
import io.meshtransport.transport.message.MeshConnection;
import io.meshtransport.transport.rail.Rail;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections of two cables, by the set-up of a transport, in software over TCP. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RailedConnectionTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int BYTES = 100_000;

  private Transport a;
  private Transport b;
  private Listener listener;
  private MeshConnection out;
  private MeshConnection in;

  @BeforeEach
  void open() throws Exception {
    a = RailedContractTest.open("a", "127.77.45.1/24,127.77.46.1/24");
    b = RailedContractTest.open("b", "127.77.45.2/24,127.77.46.2/24");
    listener = b.listen();
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  private void connect(ConnectOptions options) throws Exception {
    out = (MeshConnection) a.connect(listener.handle(), options).await(LIMIT);
    in = (MeshConnection) listener.acceptConnection(LIMIT);
  }

  private static void awaitRails(ConnectionRails rails, int count) {
    Awaitility.await().atMost(LIMIT).until(() -> rails.liveRails().size() == count);
  }

  @Test
  void shouldHaveNoRailsWhereOneCableIsWanted() throws Exception {
    connect(ConnectOptions.DEFAULT.rails(1));
    assertNull(out.rails());
    assertNull(in.rails());
  }

  @Test
  void shouldGoOnOverTheOtherCableAndMakeTheFirstAnew() throws Exception {
    connect(ConnectOptions.DEFAULT.rails(2));
    awaitRails(out.rails(), 2);
    awaitRails(in.rails(), 2);
    exchange();
    lose(out);
    exchange();
    awaitRails(out.rails(), 2);
    awaitRails(in.rails(), 2);
    lose(in);
    exchange();
    awaitRails(in.rails(), 2);
    exchange();
  }

  /** A cable that comes and goes may carry a handshake, and be gone before it carries a message. */
  @Test
  @Tag("slow")
  void shouldMakeNoRailOverACutCableBeforeItIsMended() throws Exception {
    connect(ConnectOptions.DEFAULT.rails(2));
    awaitRails(out.rails(), 2);
    awaitRails(in.rails(), 2);
    // Both loopback cables are of one interface, so neither rail has another to flee to.
    int index = out.rails().liveRails().get(0).endpoint().nic().nic().ifindex();
    a.cableCut(b.self().id(), index, "a test says so");
    lose(out);
    exchange();
    Awaitility.await()
        .during(Duration.ofMillis(1_500))
        .atMost(LIMIT)
        .until(() -> out.rails().liveRails().size() == 1);
    a.cableMended(b.self().id(), index);
    awaitRails(out.rails(), 2);
    awaitRails(in.rails(), 2);
    exchange();
  }

  /** Another rail would be refused as well, and whether a put was carried out is not in doubt. */
  @Test
  void shouldFailForMemoryThatThePeerHasClosedThoughThereIsAnotherRail() throws Exception {
    for (boolean isOfConnector : new boolean[] {true, false}) {
      connect(ConnectOptions.DEFAULT.rails(2));
      awaitRails(out.rails(), 2);
      awaitRails(in.rails(), 2);
      MeshConnection end = isOfConnector ? out : in;
      MeshConnection owner = isOfConnector ? in : out;
      Transport here = isOfConnector ? a : b;
      Transport there = isOfConnector ? b : a;
      ByteBuffer far = ByteBuffer.allocateDirect(64);
      RegisteredMemory closed = there.register(List.of(far), Set.of(RemoteAccess.PUT));
      RemoteMemory remote = here.remoteMemory(closed.remoteKey());
      closed.close();
      try (RegisteredMemory near = here.register(ByteBuffer.allocateDirect(64))) {
        TransferList list = new TransferList().add(near, 0, 64, remote, 0);
        long atOwner = owner.irecv(ByteBuffer.allocate(64), 9);
        long put = end.iput(list, Connection.NO_DEADLINE);
        assertEquals(Channel.FAILED, end.await(put, LIMIT));
        assertEquals(Reason.REMOTE_ACCESS, end.failure(put).reason());
        assertEquals(ChannelState.FAILED, end.state());
        assertEquals(Channel.FAILED, owner.await(atOwner, LIMIT));
        assertEquals(Reason.REMOTE_ACCESS, owner.failure(atOwner).reason());
      }
      out.close();
      in.close();
    }
  }

  /** Its rail with the lowest number, which is the primary. */
  private static void lose(MeshConnection end) {
    end.core.lock.lock();
    try {
      end.rails().liveRails().stream()
          .min(Comparator.comparingInt(Rail::number))
          .orElseThrow()
          .fail(new TransportException(Reason.PEER_GONE, "as the test wants"));
    } finally {
      end.core.lock.unlock();
    }
  }

  private void exchange() throws Exception {
    try (RegisteredMemory here = a.register(ByteBuffer.allocateDirect(2 * BYTES));
        RegisteredMemory there = b.register(ByteBuffer.allocateDirect(2 * BYTES))) {
      long toThere = in.irecv(there, 0, BYTES, 1);
      long toHere = out.irecv(here, 0, BYTES, 1);
      long fromHere = out.isend(here, BYTES, BYTES, 1);
      long fromThere = in.isend(there, BYTES, BYTES, 1);
      assertEquals(BYTES, end(out, fromHere));
      assertEquals(BYTES, end(in, fromThere));
      assertEquals(BYTES, end(in, toThere));
      assertEquals(BYTES, end(out, toHere));
    }
  }

  private static long end(MeshConnection at, long request) {
    long outcome = at.await(request, LIMIT);
    assertEquals(BYTES, outcome, () -> outcome == Channel.FAILED ? "" + at.failure(request) : "");
    return outcome;
  }
}
