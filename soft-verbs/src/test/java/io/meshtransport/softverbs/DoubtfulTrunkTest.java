package io.meshtransport.softverbs;

import static io.meshtransport.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A device that accepts, and doubts its peer or loses it; the peer is played, and dials. */
class DoubtfulTrunkTest {
  private static final InetSocketAddress PEER = new InetSocketAddress("127.77.60.21", 9);
  private static final Setup HASTY =
      Setup.usual().withMemory(4096, Setup.ALL_ACCESS).withPatience(14, 6);
  private static final int FIRST_PSN = 70;
  private static final int BYTES = 10;

  /** Says, where that is set, that the peer's kernel acknowledges nothing. */
  private static final class PlayedAcks implements KernelAcks {
    private final AtomicBoolean isSilent = new AtomicBoolean();

    @Override
    public Question about(InetSocketAddress local, InetSocketAddress remote) {
      return row -> {
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
    String name = "lo-127.77.60.22";
    device = new SoftDevice(name, new TcpNetwork(LoopbackPort.of(name), acks));
  }

  @AfterEach
  void closeDevice() throws Exception {
    for (Endpoint endpoint : endpoints) {
      endpoint.close();
    }
    device.close();
  }

  private Endpoint endpoint(int peerQueuePair) throws VerbsException {
    Endpoint endpoint = new Endpoint(device, HASTY, FIRST_PSN);
    endpoints.add(endpoint);
    RawPeer.connect(endpoint, PEER, peerQueuePair);
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
  void shouldComeUpAgainWhereThePeerSeeksItAfterADoubt() throws Exception {
    Endpoint doubting = endpoint(21);
    Endpoint steady = endpoint(22);
    WireEnds doubtingEnds = RawPeer.ends(doubting, PEER, 21);
    WireEnds steadyEnds = RawPeer.ends(steady, PEER, 22);
    try (RawPeer trunk = RawPeer.dial(doubtingEnds)) {
      trunk.meet(doubtingEnds, 1021);
      long steadyName = trunk.meet(steadyEnds, 1022);
      acks.isSilent.set(true);
      doubting.postSend(1, 0, BYTES);
      expectSent(doubting, 1, RETRY_EXC_ERR);

      // The cable was mended, and the peer, which never doubted, has stayed where it was.
      acks.isSilent.set(false);
      steady.postSend(2, 0, BYTES);
      trunk.hear(FrameType.SEND, steadyEnds, 1022);
      trunk.sayAck(steadyName, FIRST_PSN);
      expectSent(steady, 2, SUCCESS);
      doubting.queuePair.toReset();
      RawPeer.connect(doubting, PEER, 21);
      trunk.sayOpen(doubtingEnds, 1031, WireTable.NO_NAME);
      long name = trunk.hear(FrameType.OPEN, doubtingEnds, 1031).remoteAddress;
      doubting.postSend(3, 0, BYTES);
      trunk.hear(FrameType.SEND, doubtingEnds, 1031);
      trunk.sayAck(name, FIRST_PSN);
      expectSent(doubting, 3, SUCCESS);
    }
  }

  @Test
  void shouldForgetAWireThatIsDestroyedAfterItsConnectionWasLost() throws Exception {
    Endpoint endpoint = endpoint(21);
    WireEnds ends = RawPeer.ends(endpoint, PEER, 21);
    RawPeer trunk = RawPeer.dial(ends);
    long name = trunk.hear(FrameType.OPEN, ends, 0).remoteAddress;
    // It knows us, and need not know that we know it: when the connection is lost it starts over.
    trunk.sayOpen(ends, 1021, WireTable.NO_NAME);
    assertEquals(name, trunk.hear(FrameType.OPEN, ends, 1021).remoteAddress);
    trunk.close();
    TcpNetwork network = (TcpNetwork) device.network();
    TrunkEnds trunkEnds = TrunkEnds.of(ends.reversed());
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .until(() -> device.lockedResult(() -> network.peer(trunkEnds).isAnySeeking()));
    endpoint.close();
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .until(() -> device.lockedResult(() -> network.peer(trunkEnds) == null));
  }
}
