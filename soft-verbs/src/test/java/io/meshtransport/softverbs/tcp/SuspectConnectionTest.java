// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.host.LoopbackPort;
import io.meshtransport.softverbs.host.TcpAckState;
import io.meshtransport.softverbs.rc.ResponseTimeout;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WirePort;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A device that doubts its peer, loses it, or is dialled by it again. The test plays the peer,
 * which dials unless a test accepts.
 *
 * <p>Also tests {@link HostProbe} and {@link TcpPeer}.
 */
class SuspectConnectionTest {
  private static final String DEVICE = "127.77.60.22";
  private static final InetSocketAddress PEER = new InetSocketAddress("127.77.60.21", 9);
  private static final Setup HASTY =
      Setup.usual().withMemory(4096, Setup.ALL_ACCESS).withPatience(14, 6);

  /** Half a minute: nothing is checked unless the test moves the clock. */
  private static final Setup PATIENT =
      Setup.usual().withMemory(4096, Setup.ALL_ACCESS).withPatience(20, 6);

  private static final int FIRST_PSN = 70;
  private static final int BYTES = 10;

  /** Reports, where that is set, that the peer's kernel acknowledges nothing. */
  private static final class PlayedAcks implements TcpAckState {
    private final AtomicBoolean isSilent = new AtomicBoolean();
    private final AtomicInteger queries = new AtomicInteger();

    /** A peer for which every query throws. */
    private final AtomicReference<InetSocketAddress> broken = new AtomicReference<>();

    @Override
    public Query queryFor(InetSocketAddress local, InetSocketAddress remote) {
      return row -> {
        queries.incrementAndGet();
        if (broken.get() != null && remote.getAddress().equals(broken.get().getAddress())) {
          throw new OutOfMemoryError("made up");
        }
        row.set(isSilent.get() ? Integer.MAX_VALUE : 0, false, isSilent.get() ? 3 : 0, 0);
        return true;
      };
    }

    @Override
    public void close() {}
  }

  private final PlayedAcks acks = new PlayedAcks();
  private final List<Endpoint> endpoints = new ArrayList<>();
  private SoftDevice device;

  @BeforeEach
  void openDevice() throws Exception {
    String name = "lo-" + DEVICE;
    device =
        new SoftDevice(
            name, new TcpNetwork(new SharedDriver(), LoopbackPort.of(name), WirePort.ANY, acks));
  }

  @AfterEach
  void closeDevice() throws Exception {
    for (Endpoint endpoint : endpoints) {
      endpoint.close();
    }
    device.close();
  }

  private Endpoint endpoint(int peerQueuePair) throws VerbsException {
    return endpoint(PEER, peerQueuePair);
  }

  private Endpoint endpoint(InetSocketAddress peer, int peerQueuePair) throws VerbsException {
    return endpoint(HASTY, peer, peerQueuePair);
  }

  private Endpoint endpoint(Setup setup, InetSocketAddress peer, int peerQueuePair)
      throws VerbsException {
    Endpoint endpoint = new Endpoint(device, setup, FIRST_PSN);
    endpoints.add(endpoint);
    RawPeer.connect(endpoint, peer, peerQueuePair);
    return endpoint;
  }

  private static void expectSent(Endpoint endpoint, long id, CompletionStatus status) {
    List<Endpoint.Done> done = new ArrayList<>();
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .until(() -> done.addAll(endpoint.poll(endpoint.sends, 1)));
    assertEquals(id + " " + status, done.get(0).id() + " " + done.get(0).status());
  }

  @Test
  @Tag("slow")
  void shouldComeUpAgainOnTheConnectionThatThePeerStillUses() throws Exception {
    Endpoint doubting = endpoint(21);
    Endpoint steady = endpoint(22);
    StreamAddress doubtingEnds = RawPeer.ends(doubting, PEER, 21);
    StreamAddress steadyEnds = RawPeer.ends(steady, PEER, 22);
    try (RawPeer connection = RawPeer.dial(doubtingEnds)) {
      connection.exchangeOpens(doubtingEnds, 1021);
      long steadyName = connection.exchangeOpens(steadyEnds, 1022);
      acks.isSilent.set(true);
      doubting.postSend(1, 0, BYTES);
      expectSent(doubting, 1, RETRY_EXC_ERR);

      // The cable was mended, and the peer, which never doubted, has stayed where it was.
      acks.isSilent.set(false);
      steady.postSend(2, 0, BYTES);
      connection.receive(FrameType.SEND, steadyEnds, 1022);
      connection.sendAck(steadyName, FIRST_PSN);
      expectSent(steady, 2, SUCCESS);
      doubting.queuePair.toReset();
      RawPeer.connect(doubting, PEER, 21);
      connection.sendOpen(doubtingEnds, 1031, StreamTable.NO_NAME);
      long name = connection.receive(FrameType.OPEN, doubtingEnds, 1031).remoteAddress;
      doubting.postSend(3, 0, BYTES);
      connection.receive(FrameType.SEND, doubtingEnds, 1031);
      connection.sendAck(name, FIRST_PSN);
      expectSent(doubting, 3, SUCCESS);
    }
  }

  @Test
  void shouldRemoveThePeerWhenItsStreamIsDestroyedAfterTheConnectionWasLost() throws Exception {
    Endpoint endpoint = endpoint(21);
    StreamAddress ends = RawPeer.ends(endpoint, PEER, 21);
    RawPeer connection = RawPeer.dial(ends);
    long name = connection.receive(FrameType.OPEN, ends, 0).remoteAddress;
    // It knows us, and need not know that we know it: when the connection is lost it starts over.
    connection.sendOpen(ends, 1021, StreamTable.NO_NAME);
    assertEquals(name, connection.receive(FrameType.OPEN, ends, 1021).remoteAddress);
    connection.close();
    TcpNetwork network = (TcpNetwork) device.network();
    DevicePair devicePair = DevicePair.of(ends.reversed());
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .until(() -> device.lockedResult(() -> network.peer(devicePair).isAnyConnecting()));
    endpoint.close();
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .until(() -> device.lockedResult(() -> network.peer(devicePair) == null));
  }

  /**
   * The peer, which has not doubted, sends on the previous connection the name that it received on
   * the newer.
   */
  @Test
  @Tag("slow")
  void shouldMigrateAsTheDiallerOnlyForAnOpenWithItsName() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      // Larger than the device's: it dials.
      listener.bind(new InetSocketAddress("127.77.60.23", 0));
      InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
      Endpoint doubting = endpoint(at, 21);
      Endpoint steady = endpoint(at, 22);
      StreamAddress doubtingEnds = RawPeer.ends(doubting, at, 21);
      StreamAddress steadyEnds = RawPeer.ends(steady, at, 22);
      try (RawPeer former = RawPeer.accept(listener, doubtingEnds)) {
        former.exchangeOpens(doubtingEnds, 1021);
        long steadyName = former.exchangeOpens(steadyEnds, 1022);
        acks.isSilent.set(true);
        doubting.postSend(1, 0, BYTES);
        expectSent(doubting, 1, RETRY_EXC_ERR);
        acks.isSilent.set(false);
        doubting.queuePair.toReset();
        RawPeer.connect(doubting, at, 21);
        try (RawPeer newer = RawPeer.accept(listener, doubtingEnds)) {
          long name =
              newer.receive(FrameType.OPEN, doubtingEnds, StreamTable.NO_NAME).remoteAddress;
          former.sendOpen(doubtingEnds, 1031, StreamTable.NO_NAME);
          former.sendOpen(doubtingEnds, 1031, name + 1);
          steady.postReceive(2, 0, BYTES);
          former.sendMessage(steadyName, RawPeer.FIRST_PSN, BYTES);
          former.receive(FrameType.ACK, steadyEnds, 1022);
          assertFalse(former.hasKept(FrameType.OPEN, doubtingEnds, 1031), "it has followed");

          former.sendOpen(doubtingEnds, 1031, name);
          doubting.postSend(3, 0, BYTES);
          former.receive(FrameType.SEND, doubtingEnds, 1031);
          former.sendAck(name, FIRST_PSN);
          expectSent(doubting, 3, SUCCESS);
        }
      }
    }
  }

  @Test
  void shouldCloseThePreviousConnectionWhenItCarriesNothingAndAnotherComes() throws Exception {
    Endpoint first = endpoint(21);
    StreamAddress firstEnds = RawPeer.ends(first, PEER, 21);
    try (RawPeer former = RawPeer.dial(firstEnds)) {
      former.exchangeOpens(firstEnds, 1021);
      Endpoint second = endpoint(22);
      StreamAddress secondEnds = RawPeer.ends(second, PEER, 22);
      former.receive(FrameType.OPEN, secondEnds, StreamTable.NO_NAME);
      first.close();
      former.receive(FrameType.CLOSE, firstEnds, StreamTable.NO_NAME);
      try (RawPeer newer = RawPeer.dial(secondEnds)) {
        newer.exchangeOpens(secondEnds, 1022);
        // Not when it has waited long enough for another wire.
        assertEquals(1, Connections.between(DEVICE, PEER.getHostString()));
        former.expectEnd();
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldQueryTheKernelOnceForAllStreamsOfAConnection() throws Exception {
    Endpoint first = endpoint(PATIENT, PEER, 21);
    long intervalNs = first.readyToSend().softSilenceNs() / ResponseTimeout.CHECKS;
    StreamAddress firstEnds = RawPeer.ends(first, PEER, 21);
    try (RawPeer connection = RawPeer.dial(firstEnds)) {
      connection.exchangeOpens(firstEnds, 1021);
      first.postSend(1, 0, BYTES);
      List<Endpoint> others = new ArrayList<>();
      for (int i = 22; i < 42; i++) {
        Endpoint other = endpoint(PATIENT, PEER, i);
        others.add(other);
        connection.exchangeOpens(RawPeer.ends(other, PEER, i), 1000 + i);
        connection.receive(FrameType.OPEN, RawPeer.ends(other, PEER, i), 1000 + i);
        other.postSend(i, 0, BYTES);
      }
      acks.isSilent.set(true);
      long beginNs = device.nowNs();
      passTime(beginNs + intervalNs);
      for (int i = 21; i < 42; i++) {
        // Each stream that waits probes for what it is owed.
        connection.receive(FrameType.PROBE, firstEnds, 1000 + i);
      }
      assertEquals(0, acks.queries.get(), "the probes may be answered yet");

      int lastLook = ResponseTimeout.CHECKS - 1;
      for (int look = 2; look < lastLook; look++) {
        passTime(beginNs + intervalNs * look);
        assertEquals(look - 1, acks.queries.get());
        for (Endpoint other : others) {
          assertEquals(List.of(), other.poll(other.sends, 1));
        }
      }

      for (int look = lastLook; look <= ResponseTimeout.CHECKS + 1; look++) {
        passTime(beginNs + intervalNs * look);
      }
      expectSent(first, 1, RETRY_EXC_ERR);
      for (Endpoint other : others) {
        expectSent(other, others.indexOf(other) + 22, RETRY_EXC_ERR);
      }
    }
  }

  @Test
  void shouldEndOnlyTheQueuePairWhoseTimerFails() throws Exception {
    InetSocketAddress other = new InetSocketAddress("127.77.60.20", 9);
    Endpoint sound = endpoint(PATIENT, other, 31);
    Endpoint broken = endpoint(PATIENT, PEER, 21);
    StreamAddress soundEnds = RawPeer.ends(sound, other, 31);
    StreamAddress brokenEnds = RawPeer.ends(broken, PEER, 21);
    try (RawPeer soundConnection = RawPeer.dial(soundEnds);
        RawPeer brokenConnection = RawPeer.dial(brokenEnds)) {
      soundConnection.exchangeOpens(soundEnds, 1031);
      brokenConnection.exchangeOpens(brokenEnds, 1021);
      sound.postSend(1, 0, BYTES);
      broken.postSend(2, 0, BYTES);
      soundConnection.receive(FrameType.SEND, soundEnds, 1031);
      brokenConnection.receive(FrameType.SEND, brokenEnds, 1021);
      acks.isSilent.set(true);
      acks.broken.set(PEER);
      long beginNs = device.nowNs();
      long intervalNs = sound.readyToSend().softSilenceNs() / ResponseTimeout.CHECKS;
      for (int look = 1; look <= ResponseTimeout.CHECKS + 1; look++) {
        passTime(beginNs + intervalNs * look);
      }
      expectSent(broken, 2, WR_FLUSH_ERR);
      expectSent(sound, 1, RETRY_EXC_ERR);
    }
  }

  /** Runs all timers that are due by then. */
  private void passTime(long nowNs) {
    device.locked(() -> device.timers().run(nowNs));
  }
}
