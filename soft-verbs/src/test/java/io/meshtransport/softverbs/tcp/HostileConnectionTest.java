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
 * A device whose peers the test plays: a wrong frame harms at most the stream that it names, and
 * garbage ends only the streams of its own connection. These peers dial unless a test accepts.
 *
 * <p>Also tests {@link MuxConnection} and {@link PendingConnection}.
 */
class HostileConnectionTest {
  private static final String DEVICE = "127.77.60.12";
  private static final InetSocketAddress PEER = new InetSocketAddress("127.77.60.11", 9);
  private static final InetSocketAddress OTHER_PEER = new InetSocketAddress("127.77.60.10", 9);
  private static final Setup SMALL = Setup.usual().withMemory(4096, Setup.ALL_ACCESS);
  private static final int BYTES = 10;

  /** An endpoint of the device with the stream to its peer, as the peer sees it. */
  private final class RawStream {
    private final Endpoint endpoint;
    private final StreamAddress ends;

    /** The peer's name for its end. */
    private final long name;

    private RawPeer connection;

    /** What the device calls its end. */
    private long theirName;

    private int said;
    private int onReceived;

    private RawStream(InetSocketAddress peer, int queuePair) throws Exception {
      endpoint = new Endpoint(pair.right, SMALL, 70);
      streams.add(this);
      RawPeer.connect(endpoint, peer, queuePair);
      ends = RawPeer.ends(endpoint, peer, queuePair);
      name = 1000 + queuePair;
    }

    private RawStream exchangeOpens(RawPeer newConnection) throws Exception {
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

  private final List<RawStream> streams = new ArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private ContractPair pair;

  @BeforeEach
  void openDevice() throws Exception {
    SoftProvider provider = new SoftProvider();
    // Of the pair only the right device is of use; the test plays its peers.
    pair =
        new ContractPair(
            provider.open("lo-127.77.60.14"), provider.open("lo-" + DEVICE), Traits.ofSoft());
  }

  @AfterEach
  void closeAll() throws Exception {
    for (RawStream stream : streams) {
      stream.endpoint.close();
    }
    for (AutoCloseable one : open) {
      one.close();
    }
    pair.close();
  }

  private RawPeer dial(RawStream stream) throws Exception {
    return kept(RawPeer.dial(stream.ends));
  }

  private <T extends AutoCloseable> T kept(T one) {
    open.add(one);
    return one;
  }

  /** Two streams on one connection, both up. */
  private List<RawStream> twoUp() throws Exception {
    RawStream first = new RawStream(PEER, 21);
    RawStream second = new RawStream(PEER, 22);
    RawPeer connection = dial(first);
    return List.of(first.exchangeOpens(connection), second.exchangeOpens(connection));
  }

  private static void exchange(List<RawStream> all) throws Exception {
    for (RawStream stream : all) {
      stream.exchange();
    }
  }

  /** From the same address, such as that of a host with other programs. */
  @Test
  void shouldKeepAConnectionThatIsAboutToProveItselfWhileSilentOnesCome() throws Exception {
    RawStream stream = new RawStream(PEER, 21);
    RawPeer honest = kept(RawPeer.sendPreamble(stream.ends, 7));
    honest.receiveAnswer(stream.ends);
    InetSocketAddress port =
        new InetSocketAddress(stream.ends.remoteGid().toAddress(), stream.ends.remotePort());
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
    honest.sendProof(stream.ends);
    stream.exchangeOpens(honest);
  }

  @Test
  void shouldIgnoreFramesForNamesThatDoNotExist() throws Exception {
    List<RawStream> two = twoUp();
    RawStream first = two.get(0);
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
  void shouldIgnoreFramesForStreamsOfAnotherConnection() throws Exception {
    List<RawStream> two = twoUp();
    RawStream first = two.get(0);
    RawStream foreign = new RawStream(OTHER_PEER, 23);
    foreign.exchangeOpens(dial(foreign));
    first.endpoint.postReceive(first.said, 0, BYTES);
    foreign.connection.sendMessage(first.theirName, RawPeer.FIRST_PSN + first.said, BYTES + 7);
    foreign.connection.sendClose(first.ends, first.name, FrameHeader.FLAG_RESET);
    foreign.connection.sendOpen(first.ends, 99, first.theirName);
    foreign.exchange();
    first.connection.sendMessage(first.theirName, RawPeer.FIRST_PSN + first.said, BYTES);
    assertEquals(BYTES, pair.received(first.endpoint).lengthBytes());
    first.said++;
    exchange(two);
    foreign.exchange();
  }

  @Test
  void shouldIgnoreAnOpenThatAnswersAPreviousName() throws Exception {
    RawStream stream = new RawStream(PEER, 21);
    RawPeer connection = dial(stream);
    stream.endpoint.postSend(0, 0, BYTES);
    long theirs = connection.receive(FrameType.OPEN, stream.ends, 0).remoteAddress;
    assertNotEquals(StreamTable.NO_NAME, theirs);
    connection.sendOpen(stream.ends, 7, theirs + 1);
    connection.sendOpen(stream.ends, StreamTable.NO_NAME, theirs);
    connection.sendOpen(stream.ends, stream.name, theirs);
    FrameHeader first = connection.receive();
    while (first.type != FrameType.SEND) {
      assertEquals(FrameType.OPEN + " to " + stream.name, first.type + " to " + first.destination);
      first = connection.receive();
    }
    assertEquals(stream.name, first.destination, "whom the first message is for");
    connection.sendAck(theirs, first.sequence);
    pair.expectSent(stream.endpoint, 0, SUCCESS);
  }

  @Test
  void shouldIgnoreOpenAndCloseOfUnknownQueuePairs() throws Exception {
    List<RawStream> two = twoUp();
    RawStream first = two.get(0);
    StreamAddress crossed = RawPeer.ends(first.endpoint, PEER, two.get(1).ends.localQueuePair());
    StreamAddress unknown =
        new StreamAddress(
            crossed.localGid(), 9, 21, crossed.remoteGid(), crossed.remotePort(), 0xFFFFFE);
    for (StreamAddress ends : List.of(crossed, unknown)) {
      for (long name : new long[] {0, 55, first.name, two.get(1).name}) {
        first.connection.sendOpen(ends, name, 0);
        first.connection.sendOpen(ends, name, first.theirName);
        first.connection.sendClose(ends, name, 0);
        first.connection.sendClose(ends, name, FrameHeader.FLAG_RESET);
      }
    }
    exchange(two);
  }

  @Test
  void shouldIgnoreTheCloseOfAPreviousStream() throws Exception {
    List<RawStream> two = twoUp();
    RawStream first = two.get(0);
    first.connection.sendClose(first.ends, first.name + 1, FrameHeader.FLAG_RESET);
    first.connection.sendClose(first.ends, StreamTable.NO_NAME, 0);
    first.connection.sendClose(first.ends, two.get(1).name, 0);
    exchange(two);
    first.connection.sendClose(first.ends, first.name, 0);
    pair.awaitState(first.endpoint, QueuePairState.ERR);
    two.get(1).exchange();
  }

  @Test
  void shouldEndWithGarbageOnlyTheStreamsOfItsConnection() throws Exception {
    List<RawStream> two = twoUp();
    RawStream foreign = new RawStream(OTHER_PEER, 23);
    foreign.exchangeOpens(dial(foreign));
    two.get(0).endpoint.postSend(5, 0, BYTES);
    two.get(0).connection.sendRaw(new byte[FrameHeader.LENGTH_BYTES]);
    pair.expectSent(two.get(0).endpoint, 5, RETRY_EXC_ERR);
    AsyncEvent event = pair.awaitEvent(two.get(1).endpoint, AsyncEvent.Type.QP_FATAL);
    assertEquals(two.get(1).endpoint.queuePair.number(), event.subject());
    foreign.exchange();
    RawStream next = new RawStream(PEER, 24);
    next.exchangeOpens(dial(next));
    foreign.exchange();
  }

  @Test
  void shouldKeepStreamsThatAreUpWhereTheyAreWhenANewerConnectionComes() throws Exception {
    List<RawStream> two = twoUp();
    // No stream of the device has these ends.
    dial(two.get(0)).expectEnd();
    exchange(two);
    RawStream late = new RawStream(PEER, 24);
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
  void shouldOpenStreamsOnTheNextConnectionWhenOneIsCut() throws Exception {
    RawStream up = new RawStream(PEER, 21);
    RawStream connecting = new RawStream(PEER, 22);
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
  void shouldDialAgainForStreamsWithoutAPeerWhenTheConnectionIsCut() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      // Larger than the device's: it dials.
      listener.bind(new InetSocketAddress("127.77.60.13", 0));
      InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
      RawStream up = new RawStream(at, 21);
      RawPeer connection = kept(RawPeer.accept(listener, up.ends));
      up.exchangeOpens(connection);
      RawStream connecting = new RawStream(at, 22);
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
    RawStream stream = new RawStream(PEER, 21);
    RawPeer connection = dial(stream);
    stream.endpoint.postSend(0, 0, BYTES);
    connection.receive(FrameType.OPEN, stream.ends, 0);
    connection.sendRaw(new byte[FrameHeader.LENGTH_BYTES]);
    connection.expectEnd();
    assertTrue(stream.endpoint.poll(stream.endpoint.sends, 1).isEmpty());
    stream.connection = dial(stream);
    stream.theirName = stream.connection.exchangeOpens(stream.ends, stream.name);
    stream.expectSend();
    stream.exchange();
  }
}
