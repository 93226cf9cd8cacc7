// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.SingleEndpoint;
import io.meshtransport.transport.connect.MeshListener;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.ncclmesh.NcclMeshFailures;
import io.meshtransport.transport.ncclmesh.NcclMeshSendChannel;
import io.meshtransport.transport.ncclmesh.NcclMeshWire;
import io.meshtransport.verbs.CompletionStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/**
 * Messages between a transport and a peer that does what the C plugin does, in both directions.
 *
 * <p>Also tests {@link io.meshtransport.transport.ncclmesh.NcclMeshAcceptor}, {@link
 * io.meshtransport.transport.ncclmesh.NcclMeshRequests}, {@link SingleEndpoint} and {@link
 * VerbsEndpoint}.
 */
@Timeout(120)
class NcclMeshChannelTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int OURS = 1;
  private static final int THEIRS = 2;
  private static final int OUR_OTHER = 3;
  private static final int THEIR_OTHER = 4;
  private static final int[] SIZES = {0, 1, 7, 1000, 4096, 4097, 65_536, 1 << 20};
  private static final int ROOM_BYTES = 1 << 20;
  private static final long BRIEFLY_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private LegacyNodes nodes;
  private MeshTransport ours;
  private LegacyPeer theirs;
  private ByteBuffer buffer;
  private RegisteredMemory memory;

  /** Where this test takes place. */
  LegacyNodes openNodes() {
    return new SoftLegacyNodes();
  }

  @BeforeEach
  void openBoth() throws Exception {
    nodes = openNodes();
    ours = nodes.transport(settings(20_000), OURS);
    theirs = nodes.peer(THEIRS);
    buffer = ByteBuffer.allocateDirect(ROOM_BYTES);
    memory = ours.register(buffer);
  }

  private static Map<String, String> settings(int timeoutMs) {
    return Map.of("MESH_COMPAT", "nccl-mesh", "MESH_TIMEOUT_MS", Integer.toString(timeoutMs));
  }

  @AfterEach
  void closeAll() throws Exception {
    if (nodes != null) {
      nodes.close();
    }
  }

  private ReceiveChannel fromPeer() throws Exception {
    try (MeshListener listener = (MeshListener) ours.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      theirs.connect(listener.handle());
      return accepting.await(PATIENCE);
    }
  }

  private SendChannel toPeer() throws Exception {
    ChannelFuture<SendChannel> opening = ours.connect(theirs.listen());
    theirs.accept();
    return opening.await(PATIENCE);
  }

  private static byte[] content(int lengthBytes) {
    byte[] content = new byte[lengthBytes];
    new Random(lengthBytes).nextBytes(content);
    return content;
  }

  private byte[] received(long lengthBytes) {
    byte[] received = new byte[(int) lengthBytes];
    buffer.get(0, received);
    return received;
  }

  private static void assertFailed(Reason reason, Channel channel, long request) {
    assertEquals(Channel.FAILED, channel.await(request, PATIENCE));
    assertEquals(reason, channel.failure(request).reason(), channel.failure().getMessage());
    assertEquals(ChannelState.FAILED, channel.state());
  }

  @Test
  void shouldReceiveFromACPluginMessagesOfEveryLength() throws Exception {
    ReceiveChannel in = fromPeer();
    for (int size : SIZES) {
      long request = in.irecv(memory, 0, ROOM_BYTES, 0);
      theirs.send(content(size));
      assertEquals(size, in.await(request, PATIENCE), "the true length, not the room's");
      assertArrayEquals(content(size), received(size));
    }
    String address = nodes.address(THEIRS).getHostAddress();
    assertEquals("nccl-mesh at " + address, in.route().peer());
    assertEquals(address, in.route().peerAddress());
  }

  @Test
  void shouldSendToACPluginMessagesOfEveryLength() throws Exception {
    SendChannel out = toPeer();
    for (int size : SIZES) {
      buffer.put(0, content(size));
      theirs.postReceive(LegacyPeer.BUFFER_BYTES);
      assertEquals(size, out.await(out.isend(memory, 0, size, 0), PATIENCE));
      assertArrayEquals(content(size), theirs.awaitMessage());
    }
  }

  @Test
  void shouldReceiveIntoBuffersThatNobodyRegistered() throws Exception {
    ReceiveChannel in = fromPeer();
    for (int size : new int[] {0, 1_000, 65_536}) {
      ByteBuffer room = ByteBuffer.allocateDirect(65_536);
      long request = in.irecv(room, 0);
      theirs.send(content(size));
      assertEquals(size, in.await(request, PATIENCE));
      assertEquals(ByteBuffer.wrap(content(size)), room.slice(0, size));
    }
  }

  @Test
  void shouldSendFromBuffersThatNobodyRegistered() throws Exception {
    SendChannel out = toPeer();
    for (int size : new int[] {0, 1_000, 65_536}) {
      ByteBuffer text = ByteBuffer.allocateDirect(size).put(content(size)).flip();
      theirs.postReceive(LegacyPeer.BUFFER_BYTES);
      out.send(text, 0, PATIENCE);
      assertArrayEquals(content(size), theirs.awaitMessage());
    }
    assertEquals(0, ours.memoryStatistics().bounceBuffersInUse());
  }

  @Test
  void shouldRefuseToPutAndGetAndLiveOn() throws Exception {
    SendChannel out = toPeer();
    assertFalse(out.isOneSided());
    RegisteredMemory own = ours.allocate(64, Set.of(RemoteAccess.PUT, RemoteAccess.GET));
    RemoteMemory remote = ours.remoteMemory(own.remoteKey());
    UnsupportedOperationException refusal =
        assertThrows(
            UnsupportedOperationException.class, () -> out.iput(memory, 0, 8, remote, 0, 1));
    assertTrue(refusal.getMessage().contains("nccl-mesh"), refusal.getMessage());
    TransferList list = new TransferList();
    for (Executable refused :
        new Executable[] {
          () -> out.iget(memory, 0, 8, remote, 0, 1),
          () -> out.iput(list, 1),
          () -> out.iget(list, 1)
        }) {
      assertThrows(UnsupportedOperationException.class, refused);
    }
    theirs.postReceive(8);
    assertEquals(8, out.await(out.isend(memory, 0, 8, 0), PATIENCE));
  }

  @Test
  void shouldGiveMessagesToReceivesInTheirOrderWhateverTheTags() throws Exception {
    ReceiveChannel in = fromPeer();
    long first = in.irecv(memory, 0, 100, 7);
    long second = in.irecv(memory, 100, 100, 3);
    theirs.send(content(10));
    theirs.send(content(20));

    assertEquals(20, in.await(second, PATIENCE));
    assertEquals(10, in.await(first, PATIENCE));
  }

  @Test
  void shouldWaitForAReceiveThatIsPostedLate() throws Exception {
    SendChannel out = toPeer();
    buffer.put(0, content(4096));
    long request = out.isend(memory, 0, 4096, 0);
    assertEquals(Channel.PENDING, out.await(request, Duration.ofMillis(100)));

    theirs.postReceive(4096);
    assertEquals(4096, out.await(request, PATIENCE));
    assertArrayEquals(content(4096), theirs.awaitMessage());
  }

  @Test
  void shouldHaveEverySlotAgainAndAgain() throws Exception {
    ReceiveChannel in = fromPeer();
    long[] requests = new long[64];
    for (int round = 0; round < 3; round++) {
      for (int slot = 0; slot < requests.length; slot++) {
        requests[slot] = in.irecv(memory, slot * 8L, 8, 0);
      }
      assertEquals(Channel.BUSY, in.irecv(memory, 0, 8, 0));
      for (long request : requests) {
        theirs.send(content(8));
        assertEquals(8, in.await(request, PATIENCE));
      }
    }
  }

  @Test
  void shouldEndWithAMessageThatIsLongerThanItsReceive() throws Exception {
    ReceiveChannel in = fromPeer();
    long request = in.irecv(memory, 0, 99, 0);
    theirs.postSend(content(100));

    assertFailed(Reason.MESSAGE_TOO_LONG, in, request);
    assertTrue(NcclMeshFailures.isTooLongThere(theirs.awaitCompletion()));
    assertEquals(Channel.FAILED, in.irecv(memory, 0, 99, 0));
  }

  @Test
  void shouldSayThatThePeersReceiveWasTooShort() throws Exception {
    SendChannel out = toPeer();
    theirs.postReceive(99);
    assertFailed(Reason.MESSAGE_TOO_LONG, out, out.isend(memory, 0, 100, 0));
  }

  @Test
  void shouldEndASendThatMeetsNoReceiveAtItsDeadline() throws Exception {
    SendChannel out = toPeer();
    assertFailed(Reason.TIMED_OUT, out, out.isend(memory, 0, 100, 0, BRIEFLY_NS));
  }

  @Test
  void shouldEndAReceiveThatGetsNoMessageAtItsDeadline() throws Exception {
    ReceiveChannel in = fromPeer();
    long other = in.irecv(memory, 100, 100, 0);
    assertFailed(Reason.TIMED_OUT, in, in.irecv(memory, 0, 100, 0, BRIEFLY_NS));
    assertEquals(Channel.FAILED, in.test(other));
  }

  @Test
  @Tag("slow")
  void shouldNoticeThatThePeerIsGoneWhileItReceives() throws Exception {
    MeshTransport hasty = nodes.transport(settings(400), OUR_OTHER);
    RegisteredMemory room = hasty.register(ByteBuffer.allocateDirect(100));
    try (MeshListener listener = (MeshListener) hasty.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      theirs.connect(listener.handle());
      ReceiveChannel in = accepting.await(PATIENCE);
      long request = in.irecv(room, 0, 100, 0);
      theirs.close();
      assertFailed(Reason.PEER_GONE, in, request);
    }
  }

  @Test
  void shouldNoticeThatThePeerIsGoneWhileItSends() throws Exception {
    SendChannel out = toPeer();
    theirs.postReceive(100);
    assertEquals(100, out.await(out.isend(memory, 0, 100, 0), PATIENCE));
    theirs.close();
    assertFailed(Reason.PEER_GONE, out, out.isend(memory, 0, 100, 0));
  }

  @Test
  void shouldFailWhatIsOutstandingWhenItIsClosed() throws Exception {
    ReceiveChannel in = fromPeer();
    long request = in.irecv(memory, 0, 100, 0);
    in.close();

    assertEquals(Channel.FAILED, in.test(request));
    assertEquals(Reason.CLOSED, in.failure(request).reason());
    assertEquals(ChannelState.CLOSED, in.state());
  }

  /** On real devices nothing else tells it: a queue pair without requests hears of nothing. */
  @Test
  void shouldEndThePeersReceivesWhenItIsClosed() throws Exception {
    SendChannel out = toPeer();
    theirs.postReceive(100);
    out.close();
    assertEquals(CompletionStatus.WR_FLUSH_ERR, theirs.awaitCompletion());
  }

  @Test
  void shouldDeliverWhatIsUnderWayBeforeItIsClosed() throws Exception {
    SendChannel out = toPeer();
    theirs.postReceive(4096);
    buffer.put(0, content(4096));
    out.isend(memory, 0, 4096, 0);
    out.close();
    assertArrayEquals(content(4096), theirs.awaitMessage());
  }

  @Test
  void shouldWarnOfNumbersThatThePluginCuts() {
    assertTrue(NcclMeshWire.numberTrouble(65_535, "rxe0").isEmpty());
    String trouble = NcclMeshWire.numberTrouble(65_544, "rxe0").orElseThrow();
    assertTrue(trouble.contains("queue pair 65544"), trouble);
    assertTrue(trouble.contains("queue pair 8 "), trouble);
  }

  @Test
  void shouldRefuseAGroupForThereAreNoTags() throws Exception {
    ReceiveChannel in = fromPeer();
    ReceiveGroup two = new ReceiveGroup().add(memory, 0, 10, 0).add(memory, 10, 10, 1);
    assertThrows(IllegalArgumentException.class, () -> in.irecv(two, ReceiveChannel.NO_DEADLINE));

    ReceiveGroup one = new ReceiveGroup().add(memory, 0, 10, 0);
    long request = in.irecv(one, ReceiveChannel.NO_DEADLINE);
    theirs.send(content(3));
    assertEquals(3, in.await(request, PATIENCE));
  }

  @Test
  void shouldUseAllOfAQueuePairNumberAndTheAttributesOfTheWire() throws Exception {
    ReceiveChannel in = fromPeer();
    assertEquals(ChannelState.READY, in.state());
    var receiving = nodes.ports.receiving().get(0);
    assertEquals(theirs.number(), receiving.peerQueuePair());
    assertEquals(0, receiving.receivePsn());
    assertTrue(receiving.pathMtuBytes() >= 1024, receiving.toString());
    assertEquals(12, receiving.minRnrTimer());
    var sending = nodes.ports.sending().get(0);
    assertEquals(0, sending.sendPsn());
    assertEquals(7, sending.rnrRetry());
    assertEquals(6, sending.retryCount());
    assertEquals(18, sending.timeout(), "patience with a peer whose receives come late");
  }

  @Test
  void shouldTellPeersOfSeveralListenersApart() throws Exception {
    try (MeshListener left = (MeshListener) ours.listen();
        MeshListener right = (MeshListener) ours.listen()) {
      ChannelFuture<ReceiveChannel> atLeft = left.accept();
      ChannelFuture<ReceiveChannel> atRight = right.accept();
      theirs.connect(right.handle());
      ReceiveChannel in = atRight.await(PATIENCE);
      assertEquals(false, atLeft.isDone());

      long request = in.irecv(memory, 0, 10, 0);
      theirs.send(content(5));
      assertEquals(5, in.await(request, PATIENCE));
    }
  }

  @Test
  void shouldAcceptWhileThePeerAlreadySends() throws Exception {
    try (MeshListener listener = (MeshListener) ours.listen()) {
      theirs.connect(listener.handle());
      theirs.postSend(content(10));
      ReceiveChannel in = listener.accept().await(PATIENCE);
      assertEquals(10, in.await(in.irecv(memory, 0, 10, 0), PATIENCE));
    }
  }

  @Test
  void shouldCloseWhatNobodyAccepted() throws Exception {
    MeshListener listener = (MeshListener) ours.listen();
    byte[] handle = listener.handle();
    theirs.connect(handle);
    listener.close();

    try (LegacyPeer late = nodes.peer(THEIR_OTHER)) {
      assertThrows(IOException.class, () -> late.connect(handle));
    }
  }

  @Test
  void shouldConnectToAListenerThatAnswersLate() throws Exception {
    ChannelFuture<SendChannel> opening = ours.connect(theirs.listen());
    CompletableFuture<Void> accepted =
        CompletableFuture.runAsync(
            () -> {
              try {
                theirs.accept();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    assertInstanceOf(NcclMeshSendChannel.class, opening.await(PATIENCE));
    accepted.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Test
  void shouldGiveUpOnAListenerThatIsNotThere() throws Exception {
    byte[] handle = theirs.listen();
    theirs.close();
    TransportException failed =
        assertThrows(TransportException.class, () -> ours.connect(handle, PATIENCE));
    assertEquals(Reason.PEER_UNREACHABLE, failed.reason());
    String peer = "nccl-mesh at " + nodes.address(THEIRS).getHostAddress();
    assertTrue(failed.getMessage().contains(peer), failed.getMessage());
  }
}
