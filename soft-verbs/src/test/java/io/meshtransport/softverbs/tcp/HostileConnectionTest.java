// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.Traits;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A device whose peers are played: what they say wrong harms the stream it is said about at most,
 * and garbage ends those of its own connection only. The played peers dial unless a test says so.
 *
 * <p>Also tests {@link MuxConnection} and {@link PendingConnection}.
 */
class HostileConnectionTest {
  private static final String DEVICE = "127.77.60.12";
  private static final InetSocketAddress PEER = new InetSocketAddress("127.77.60.11", 9);
  private static final InetSocketAddress OTHER_PEER = new InetSocketAddress("127.77.60.10", 9);
  private static final Setup SMALL = Setup.usual().withMemory(4096, Setup.ALL_ACCESS);
  private static final int BYTES = 10;

  /** An endpoint of the device with the stream to its played peer, seen from there. */
  private final class Line {
    private final Endpoint endpoint;
    private final StreamAddress ends;

    /** What the played peer calls its end. */
    private final long name;

    private RawPeer connection;

    /** What the device calls its end. */
    private long theirName;

    private int said;
    private int onReceived;

    private Line(InetSocketAddress peer, int queuePair) throws Exception {
      endpoint = new Endpoint(pair.right, SMALL, 70);
      lines.add(this);
      RawPeer.connect(endpoint, peer, queuePair);
      ends = RawPeer.ends(endpoint, peer, queuePair);
      name = 1000 + queuePair;
    }

    private Line exchangeOpens(RawPeer newConnection) throws Exception {
      connection = newConnection;
      theirName = connection.exchangeOpens(ends, name);
      exchange();
      return this;
    }

    private void exchange() throws Exception {
      endpoint.postReceive(said, 0, BYTES);
      connection.sendMessage(theirName, RawPeer.FIRST_PSN + said, BYTES);
      pair.expectReceived(endpoint, said, SUCCESS);
      said++;
      endpoint.postSend(onReceived, 0, BYTES);
      expectSend();
    }

    /** What the endpoint has posted comes, and is acknowledged. */
    private void expectSend() throws Exception {
      assertEquals(70 + onReceived, connection.receive(FrameType.SEND, ends, name).sequence);
      connection.sendAck(theirName, 70 + onReceived);
      pair.expectSent(endpoint, onReceived, SUCCESS);
      onReceived++;
    }
  }

  private final List<Line> lines = new ArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private ContractPair pair;

  @BeforeEach
  void openDevice() throws Exception {
    SoftProvider provider = new SoftProvider();
    // Of the pair only the right device is of use; its peers are played.
    pair =
        new ContractPair(
            provider.open("lo-127.77.60.14"), provider.open("lo-" + DEVICE), Traits.ofSoft());
  }

  @AfterEach
  void closeAll() throws Exception {
    for (Line line : lines) {
      line.endpoint.close();
    }
    for (AutoCloseable one : open) {
      one.close();
    }
    pair.close();
  }

  private RawPeer dial(Line line) throws Exception {
    return kept(RawPeer.dial(line.ends));
  }

  private <T extends AutoCloseable> T kept(T one) {
    open.add(one);
    return one;
  }

  /** Two lines on one connection, both up. */
  private List<Line> twoUp() throws Exception {
    Line first = new Line(PEER, 21);
    Line second = new Line(PEER, 22);
    RawPeer connection = dial(first);
    return List.of(first.exchangeOpens(connection), second.exchangeOpens(connection));
  }

  private static void exchange(List<Line> all) throws Exception {
    for (Line line : all) {
      line.exchange();
    }
  }

  /** From the same address, such as that of a host with other programs. */
  @Test
  void shouldKeepAConnectionThatIsAboutToProveItselfWhileSilentOnesCome() throws Exception {
    Line line = new Line(PEER, 21);
    RawPeer honest = kept(RawPeer.knock(line.ends, 7));
    honest.receiveAnswer(line.ends);
    InetSocketAddress port =
        new InetSocketAddress(line.ends.remoteGid().toAddress(), line.ends.remotePort());
    for (int i = 0; i < 40; i++) {
      SocketChannel silent = kept(SocketChannel.open());
      silent.bind(new InetSocketAddress(PEER.getAddress(), 0));
      silent.connect(port);
    }
    SoftDevice device = (SoftDevice) pair.right;
    TcpAcceptor acceptor = ((TcpNetwork) device.network()).acceptor();
    Awaitility.await()
        .atMost(20, TimeUnit.SECONDS)
        .until(() -> device.lockedResult(() -> acceptor.refusedConnections() == 9));
    honest.sayProof(line.ends);
    line.exchangeOpens(honest);
  }

  @Test
  void shouldPassOverFramesForNamesThatDoNotExist() throws Exception {
    List<Line> two = twoUp();
    Line first = two.get(0);
    long next = 1L << Integer.SIZE;
    int sequence = RawPeer.FIRST_PSN + first.said;
    first.endpoint.postReceive(first.said, 0, BYTES);
    long[] nobodys = {
      StreamTable.NO_NAME, 12345, -1, first.theirName + 50, first.theirName + 50 * next
    };
    for (long name : nobodys) {
      first.connection.sendMessage(name, sequence, BYTES + 7);
      first.connection.sendAck(name, 70 + first.onReceived);
    }
    // The receive is still there for the one that is meant.
    first.connection.sendMessage(first.theirName, sequence, BYTES);
    assertEquals(BYTES, pair.received(first.endpoint).lengthBytes());
    first.said++;
    exchange(two);
  }

  @Test
  void shouldPassOverFramesForWiresOfAnotherTrunk() throws Exception {
    List<Line> two = twoUp();
    Line first = two.get(0);
    Line foreign = new Line(OTHER_PEER, 23);
    foreign.exchangeOpens(dial(foreign));
    first.endpoint.postReceive(first.said, 0, BYTES);
    foreign.connection.sendMessage(first.theirName, RawPeer.FIRST_PSN + first.said, BYTES + 7);
    foreign.connection.sayClose(first.ends, first.name, FrameHeader.FLAG_RESET);
    foreign.connection.sendOpen(first.ends, 99, first.theirName);
    foreign.exchange();
    first.connection.sendMessage(first.theirName, RawPeer.FIRST_PSN + first.said, BYTES);
    assertEquals(BYTES, pair.received(first.endpoint).lengthBytes());
    first.said++;
    exchange(two);
    foreign.exchange();
  }

  @Test
  void shouldNotMeetWhoAnswersAFormerName() throws Exception {
    Line line = new Line(PEER, 21);
    RawPeer connection = dial(line);
    line.endpoint.postSend(0, 0, BYTES);
    long theirs = connection.receive(FrameType.OPEN, line.ends, 0).remoteAddress;
    assertNotEquals(StreamTable.NO_NAME, theirs);
    connection.sendOpen(line.ends, 7, theirs + 1);
    connection.sendOpen(line.ends, StreamTable.NO_NAME, theirs);
    connection.sendOpen(line.ends, line.name, theirs);
    FrameHeader first = connection.receive();
    while (first.type != FrameType.SEND) {
      assertEquals(FrameType.OPEN + " to " + line.name, first.type + " to " + first.destination);
      first = connection.receive();
    }
    assertEquals(line.name, first.destination, "whom the first message is for");
    connection.sendAck(theirs, first.sequence);
    pair.expectSent(line.endpoint, 0, SUCCESS);
  }

  @Test
  void shouldPassOverOpenAndCloseOfUnknownQueuePairs() throws Exception {
    List<Line> two = twoUp();
    Line first = two.get(0);
    StreamAddress crossed = RawPeer.ends(first.endpoint, PEER, two.get(1).ends.localQueuePair());
    StreamAddress unknown =
        new StreamAddress(
            crossed.localGid(), 9, 21, crossed.remoteGid(), crossed.remotePort(), 0xFFFFFE);
    for (StreamAddress ends : List.of(crossed, unknown)) {
      for (long name : new long[] {0, 55, first.name, two.get(1).name}) {
        first.connection.sendOpen(ends, name, 0);
        first.connection.sendOpen(ends, name, first.theirName);
        first.connection.sayClose(ends, name, 0);
        first.connection.sayClose(ends, name, FrameHeader.FLAG_RESET);
      }
    }
    exchange(two);
  }

  @Test
  void shouldPassOverTheCloseOfAFormerWire() throws Exception {
    List<Line> two = twoUp();
    Line first = two.get(0);
    first.connection.sayClose(first.ends, first.name + 1, FrameHeader.FLAG_RESET);
    first.connection.sayClose(first.ends, StreamTable.NO_NAME, 0);
    first.connection.sayClose(first.ends, two.get(1).name, 0);
    exchange(two);
    first.connection.sayClose(first.ends, first.name, 0);
    pair.awaitState(first.endpoint, QueuePairState.ERR);
    two.get(1).exchange();
  }

  @Test
  void shouldEndWithGarbageOnlyTheWiresOfItsTrunk() throws Exception {
    List<Line> two = twoUp();
    Line foreign = new Line(OTHER_PEER, 23);
    foreign.exchangeOpens(dial(foreign));
    two.get(0).endpoint.postSend(5, 0, BYTES);
    two.get(0).connection.sayRaw(new byte[FrameHeader.LENGTH_BYTES]);
    pair.expectSent(two.get(0).endpoint, 5, RETRY_EXC_ERR);
    AsyncEvent event = pair.awaitEvent(two.get(1).endpoint, AsyncEvent.Type.QP_FATAL);
    assertEquals(two.get(1).endpoint.queuePair.number(), event.subject());
    foreign.exchange();
    Line next = new Line(PEER, 24);
    next.exchangeOpens(dial(next));
    foreign.exchange();
  }

  @Test
  void shouldKeepWiresThatAreUpWhereTheyAreWhenANewerConnectionComes() throws Exception {
    List<Line> two = twoUp();
    // Nobody seeks these.
    dial(two.get(0)).expectEnd();
    exchange(two);
    Line late = new Line(PEER, 24);
    two.get(0).connection.receive(FrameType.OPEN, late.ends, 0);
    RawPeer newer = dial(late);
    late.exchangeOpens(newer);
    exchange(two);
    // It goes with its connection, and they do not.
    newer.close();
    pair.awaitState(late.endpoint, QueuePairState.ERR);
    exchange(two);
  }

  @Test
  void shouldSeekOnTheNextConnectionWhenOneIsCut() throws Exception {
    Line up = new Line(PEER, 21);
    Line connecting = new Line(PEER, 22);
    RawPeer connection = dial(up);
    up.exchangeOpens(connection);
    up.endpoint.postSend(5, 0, BYTES);
    connecting.endpoint.postSend(0, 0, BYTES);
    connection.close();
    pair.expectSent(up.endpoint, 5, RETRY_EXC_ERR);
    assertEquals(QueuePairState.RTS, connecting.endpoint.queuePair.state());
    RawPeer next = dial(connecting);
    connecting.connection = next;
    connecting.theirName = next.exchangeOpens(connecting.ends, connecting.name);
    connecting.expectSend();
    connecting.exchange();
  }

  @Test
  void shouldDialAgainForThoseThatSeekWhenTheConnectionIsCut() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      // Larger than the device's: it dials.
      listener.bind(new InetSocketAddress("127.77.60.13", 0));
      InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
      Line up = new Line(at, 21);
      RawPeer connection = kept(RawPeer.accept(listener, up.ends));
      up.exchangeOpens(connection);
      Line connecting = new Line(at, 22);
      connecting.endpoint.postSend(0, 0, BYTES);
      connection.receive(FrameType.OPEN, connecting.ends, 0);
      up.endpoint.postSend(5, 0, BYTES);
      connection.close();
      pair.expectSent(up.endpoint, 5, RETRY_EXC_ERR);
      connecting.connection = kept(RawPeer.accept(listener, connecting.ends));
      connecting.theirName = connecting.connection.exchangeOpens(connecting.ends, connecting.name);
      connecting.expectSend();
      connecting.exchange();
    }
  }

  @Test
  void shouldComeUpAfterTheConnectionBroughtGarbageFirst() throws Exception {
    Line line = new Line(PEER, 21);
    RawPeer connection = dial(line);
    line.endpoint.postSend(0, 0, BYTES);
    connection.receive(FrameType.OPEN, line.ends, 0);
    connection.sayRaw(new byte[FrameHeader.LENGTH_BYTES]);
    connection.expectEnd();
    assertTrue(line.endpoint.poll(line.endpoint.sends, 1).isEmpty());
    line.connection = dial(line);
    line.theirName = line.connection.exchangeOpens(line.ends, line.name);
    line.expectSend();
    line.exchange();
  }
}
