// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.directory.Directory;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.Nodes;
import io.meshtransport.jgroups.directory.RecordingLog;
import io.meshtransport.jgroups.directory.VirtualTime;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests also {@link LinkSender} and {@link LinkWorker}. */
@Timeout(60)
class OutboundLinkTest {
  private static final int BUFFERS = 8;

  /** Of one link, where there are few. */
  private static final int SHARE = BUFFERS / 2;

  private static final int BUFFER_BYTES = 2048;
  private static final int MESSAGE_BYTES = BundleHeader.HEADER_BYTES + Integer.BYTES;

  /** So long that no test sees the end of it. */
  private static final long LONG_MS = 600_000;

  private final ScriptedDialer dialer = new ScriptedDialer();
  private final ScriptedSendChannel channel = new ScriptedSendChannel();
  private final RecordingLog log = new RecordingLog();
  private final RecordingLinkListener fate = new RecordingLinkListener();
  private final VirtualTime time = new VirtualTime();
  private final List<PlainMemory> memories = new CopyOnWriteArrayList<>();
  private final AtomicInteger failingRegistrations = new AtomicInteger();
  private final Node peer = Nodes.node(2);
  private SendBufferPool pool;
  private Links links;
  private OutboundLink link;

  private void link(long restMs) throws TransportException {
    Directory directory = Nodes.directory(Nodes.node(1), log.log);
    Nodes.learn(directory, peer);
    pool = new SendBufferPool(ScriptedTransport.registering(), BUFFERS, BUFFER_BYTES);
    links =
        new Links(
            ScriptedTransport.dialing(dialer, this::register),
            directory,
            pool,
            BUFFER_BYTES,
            500,
            restMs,
            fate,
            time,
            log.log);
    long sendTimeoutNs = TimeUnit.MILLISECONDS.toNanos(500);
    link =
        new OutboundLink(
            peer.id(),
            peer.handle(),
            new OutboundLink.Terms(links, pool, sendTimeoutNs, restMs, restMs),
            log.log);
  }

  private RegisteredMemory register(ByteBuffer buffer) {
    if (failingRegistrations.getAndDecrement() > 0) {
      throw new OutOfMemoryError("Cannot reserve direct buffer memory, in this test");
    }
    PlainMemory memory = new PlainMemory(buffer);
    memories.add(memory);
    return memory;
  }

  /** Its thread has ended, and left nothing behind. */
  private void awaitEnd() {
    try {
      link.join(20_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    until(() -> memories.stream().allMatch(memory -> memory.closed));
  }

  private void openLink() throws TransportException {
    link(LONG_MS);
    dialer.open(channel);
    link.connect();
    until(() -> is("OPEN"));
  }

  @AfterEach
  void endLink() {
    link.close();
    awaitEnd();
  }

  private boolean is(String state) {
    return link.state().name().equals(state);
  }

  private static void until(BooleanSupplier holds) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(2))
        .until(holds::getAsBoolean);
  }

  private static long inMs(long ms) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private int buffer(int mark) {
    int buffer = pool.tryAcquire();
    BundleHeader.put(pool.bytes(buffer), BundleHeader.BUNDLE, Integer.BYTES, 0);
    pool.bytes(buffer).putInt(BundleHeader.HEADER_BYTES, mark);
    return buffer;
  }

  private void sendMarks(int... marks) throws SocketException {
    for (int mark : marks) {
      assertTrue(link.trySend(buffer(mark), MESSAGE_BYTES));
    }
  }

  private FutureTask<Void> sendMeanwhile(int buffer) {
    FutureTask<Void> sending =
        new FutureTask<>(
            () -> {
              link.send(buffer, MESSAGE_BYTES, inMs(LONG_MS));
              return null;
            });
    sender = new Thread(sending);
    sender.start();
    until(() -> sender.getState() == Thread.State.TIMED_WAITING);
    return sending;
  }

  private Thread sender;

  private static Throwable failureOf(FutureTask<Void> sending) {
    return assertThrows(ExecutionException.class, () -> sending.get(20, TimeUnit.SECONDS))
        .getCause();
  }

  /** The marks of the bundles that were sent, in order. */
  private static List<Integer> marks(ScriptedSendChannel channel) {
    List<Integer> marks = new ArrayList<>();
    for (ByteBuffer message : channel.sent()) {
      if (BundleHeader.kind(message) == BundleHeader.BUNDLE) {
        marks.add(message.getInt(BundleHeader.HEADER_BYTES));
      }
    }
    return marks;
  }

  private static long directories(ScriptedSendChannel channel) {
    return channel.sent().stream()
        .filter(m -> BundleHeader.kind(m) == BundleHeader.DIRECTORY)
        .count();
  }

  @Test
  void shouldOpenOnceWhenWantedAndIntroduceItselfBeforeAnythingElse() throws Exception {
    link(LONG_MS);
    assertEquals(0, dialer.dials());
    assertTrue(is("IDLE"));
    sendMarks(1, 2, 3);
    until(() -> is("OPENING"));
    dialer.open(channel);
    until(() -> marks(channel).equals(List.of(1, 2, 3)));
    assertEquals(BundleHeader.DIRECTORY, BundleHeader.kind(channel.sent().get(0)));
    assertTrue(channel.isSelective());
    assertEquals(1, dialer.dials());
    assertTrue(is("OPEN"));
  }

  @Test
  void shouldOpenWhenThePeerIsOnlyToKnowThisNode() throws Exception {
    openLink();
    assertEquals(1, directories(channel));
    assertEquals(List.of(), marks(channel));
  }

  @Test
  void shouldSendTheDirectoryAgainWhenItChanges() throws Exception {
    openLink();
    channel.acceptAll();
    link.announceDirectory();
    until(() -> directories(channel) == 2);
  }

  @Test
  void shouldQueueNoMoreThanItsShareWhileOpeningAndKeepTheOrder() throws Exception {
    link(LONG_MS);
    sendMarks(1, 2, 3, 4);
    int refused = buffer(5);
    assertFalse(link.trySend(refused, MESSAGE_BYTES));
    channel.acceptAll();
    dialer.open(channel);
    link.send(refused, MESSAGE_BYTES, inMs(LONG_MS));
    sendMarks(6);
    until(() -> marks(channel).equals(List.of(1, 2, 3, 4, 5, 6)));
  }

  @Test
  void shouldHoldASenderBackUntilThePeerMoves() throws Exception {
    openLink();
    sendMarks(1, 2, 3, 4);
    int fifth = buffer(5);
    assertFalse(link.trySend(fifth, MESSAGE_BYTES));
    FutureTask<Void> sending = sendMeanwhile(fifth);
    assertFalse(sending.isDone());
    channel.acceptAll();
    sending.get(20, TimeUnit.SECONDS);
    assertEquals(List.of(1, 2, 3, 4, 5), marks(channel));
    assertEquals(0, links.stalls());
  }

  @Test
  void shouldFailFastOnceThePeerHasStoodStillUntilItMovesAgain() throws Exception {
    openLink();
    sendMarks(1, 2, 3, 4);
    int fifth = buffer(5);
    SocketException first =
        assertThrows(
            SocketException.class, () -> link.send(fifth, MESSAGE_BYTES, System.nanoTime()));
    assertTrue(first.getMessage().contains("500 ms (send_timeout)"), first.getMessage());
    assertTrue(first.getMessage().contains(peer.toString()), first.getMessage());
    assertThrows(SocketException.class, () -> link.trySend(fifth, MESSAGE_BYTES));
    assertThrows(SocketException.class, () -> link.send(fifth, MESSAGE_BYTES, inMs(LONG_MS)));
    assertEquals(1, links.stalls());
    channel.acceptAll();
    until(
        () -> {
          link.reap();
          return pool.free() == BUFFERS - 1;
        });
    assertTrue(link.trySend(fifth, MESSAGE_BYTES));
    assertEquals(List.of(1, 2, 3, 4, 5), marks(channel));
    assertEquals(1, links.stalls());
  }

  @Test
  void shouldGiveEachSlotBackOnceWhenTheChannelFailsAndThenRest() throws Exception {
    openLink();
    List<Integer> held = new ArrayList<>();
    for (int mark = 1; mark <= SHARE; mark++) {
      int buffer = buffer(mark);
      pool.retain(buffer);
      held.add(buffer);
      assertTrue(link.trySend(buffer, MESSAGE_BYTES));
    }
    channel.acceptNext();
    channel.acceptNext();
    channel.fail(ScriptedSendChannel.peerGone());
    until(() -> !log.loud().isEmpty());
    assertTrue(is("BACKING_OFF"));
    assertEquals(ChannelState.CLOSED, channel.state());
    assertEquals(0, links.open());
    assertEquals(BUFFERS - SHARE, pool.free());
    held.forEach(pool::release);
    assertEquals(BUFFERS, pool.free());

    int buffer = buffer(9);
    assertThrows(SocketException.class, () -> link.trySend(buffer, MESSAGE_BYTES));
    pool.release(buffer);
    assertEquals(1, dialer.dials());
    assertEquals(1, log.loud().size(), log.loud()::toString);
    assertTrue(log.loud().get(0).contains("lost the link to node " + peer), log.loud()::toString);
  }

  @Test
  void shouldGiveBackWhatIsQueuedWhenThePeerCannotBeReached() throws Exception {
    link(LONG_MS);
    sendMarks(1, 2, 3);
    dialer.refuse(Reason.PEER_UNREACHABLE);
    until(() -> !fate.stale.isEmpty());
    assertTrue(is("BACKING_OFF"));
    assertEquals(BUFFERS, pool.free());
    int buffer = buffer(4);
    assertInstanceOf(
        ConnectException.class,
        assertThrows(SocketException.class, () -> link.trySend(buffer, MESSAGE_BYTES)));
    assertEquals(1, dialer.dials());
  }

  @Test
  void shouldOpenAgainAfterARestAndSayOnceWhyItCouldNot() throws Exception {
    link(1);
    for (int failure = 1; failure <= 3; failure++) {
      int failures = failure;
      dialer.refuse(Reason.PEER_UNREACHABLE);
      link.connect();
      until(() -> fate.stale.size() == failures);
    }
    assertEquals(1, log.loud().size(), log.loud()::toString);
    dialer.open(channel.acceptAll());
    link.connect();
    until(() -> is("OPEN"));
    sendMarks(1);
    until(() -> marks(channel).equals(List.of(1)));
    assertEquals(4, dialer.dials());
  }

  @Test
  void shouldIntroduceItselfAnewOnEachChannel() throws Exception {
    link(1);
    dialer.open(channel.acceptAll());
    link.connect();
    until(() -> is("OPEN"));
    channel.fail(ScriptedSendChannel.peerGone());
    sendUntilAccepted(1);
    ScriptedSendChannel next = new ScriptedSendChannel().acceptAll();
    dialer.open(next);
    until(() -> !next.sent().isEmpty());
    assertEquals(BundleHeader.DIRECTORY, BundleHeader.kind(next.sent().get(0)));
    until(() -> is("OPEN"));
  }

  @Test
  void shouldDialOnceMoreByItselfWhenItBreaks() throws Exception {
    link(1);
    dialer.open(channel.acceptAll()).refuse(Reason.PEER_UNREACHABLE);
    link.connect();
    until(() -> is("OPEN"));
    channel.fail(ScriptedSendChannel.peerGone());
    link.checkNow();
    until(() -> fate.events.size() == 3);
    assertEquals(
        List.of(
            "opened handle-2", "ended PEER_GONE handle-2", "unreached PEER_UNREACHABLE handle-2"),
        fate.events);
    assertEquals(2, dialer.dials());
  }

  @Test
  void shouldReportAGoodbyeThoughNothingIsSent() throws Exception {
    openLink();
    channel.fail(new TransportException(Reason.PEER_CLOSED, "goodbye"));
    link.checkNow();
    until(() -> fate.events.size() == 2);
    assertEquals("ended PEER_CLOSED handle-2", fate.events.get(1));
  }

  @Test
  void shouldStayOpenWhenDoubtedForNothing() throws Exception {
    openLink();
    channel.acceptAll();
    link.checkNow();
    until(channel::isWaitedFor);
    sendMarks(1);
    until(() -> marks(channel).equals(List.of(1)));
    assertTrue(is("OPEN"));
    assertEquals(1, dialer.dials());
  }

  /** The failed channel is noticed by sending; then the link may rest for a moment. */
  private void sendUntilAccepted(int mark) {
    int buffer = buffer(mark);
    until(
        () -> {
          try {
            return dialer.dials() == 2 || link.trySend(buffer, MESSAGE_BYTES);
          } catch (SocketException e) {
            return false;
          }
        });
  }

  @Test
  void shouldGiveBackWhatIsQueuedWhenClosedWhileItOpens() throws Exception {
    link(LONG_MS);
    sendMarks(1, 2);
    until(() -> dialer.dials() == 1);
    link.close();
    awaitEnd();
    assertTrue(is("CLOSED"));
    assertEquals(BUFFERS, pool.free());
    int buffer = buffer(3);
    assertThrows(SocketException.class, () -> link.trySend(buffer, MESSAGE_BYTES));
    assertEquals(List.of(), log.loud());
  }

  @Test
  void shouldStayClosedWhenTheIntroductionFailsOnAChannelOpenedMeanwhile() throws Exception {
    dialer.uninterruptible();
    link(LONG_MS);
    link.connect();
    until(() -> dialer.dials() == 1);
    link.close();
    dialer.open(channel.fail(ScriptedSendChannel.peerGone()));
    until(() -> channel.state() == ChannelState.CLOSED);
    awaitEnd();
    assertTrue(is("CLOSED"));
    assertEquals(List.of(), fate.stale);
  }

  @Test
  void shouldNotReportAFailureOfThePastWhenClosed() throws Exception {
    dialer.uninterruptible().refuse(Reason.PEER_UNREACHABLE);
    link(1);
    link.connect();
    until(() -> fate.stale.size() == 1);
    link.connect();
    until(() -> dialer.dials() == 2);
    link.close();
    dialer.open(channel);
    awaitEnd();
    assertEquals(ChannelState.CLOSED, channel.state());
    assertEquals(1, fate.stale.size());
  }

  @Test
  void shouldSayGoodbyeOnAChannelOpenedWhileItWasClosed() throws Exception {
    dialer.uninterruptible();
    link(LONG_MS);
    sendMarks(1);
    until(() -> dialer.dials() == 1);
    link.close();
    link.close();
    dialer.open(channel);
    awaitEnd();
    assertEquals(ChannelState.CLOSED, channel.state());
    assertTrue(is("CLOSED"));
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldLetASenderGoWhenClosed() throws Exception {
    openLink();
    sendMarks(1, 2, 3, 4);
    int fifth = buffer(5);
    FutureTask<Void> sending = sendMeanwhile(fifth);
    link.close();
    assertInstanceOf(SocketException.class, failureOf(sending));
    awaitEnd();
    assertEquals(ChannelState.CLOSED, channel.state());
    assertEquals(BUFFERS - 1, pool.free());
    pool.release(fifth);
  }

  @Test
  void shouldLetASenderGoWhenInterruptedAndStayOpen() throws Exception {
    openLink();
    sendMarks(1, 2, 3, 4);
    int fifth = buffer(5);
    FutureTask<Void> sending = sendMeanwhile(fifth);
    sender.interrupt();
    assertInstanceOf(InterruptedException.class, failureOf(sending));
    assertTrue(is("OPEN"));
    channel.acceptAll();
    link.send(fifth, MESSAGE_BYTES, inMs(LONG_MS));
    assertEquals(List.of(1, 2, 3, 4, 5), marks(channel));
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("mesh-jgroups-out"))
        .count();
  }

  @Test
  void shouldHaveNeitherThreadNorMemoryWhileItIsNotWanted() throws Exception {
    until(() -> threads() == 0);
    link(LONG_MS);
    assertEquals(0, threads());
    dialer.refuse(Reason.NO_ROUTE);
    link.connect();
    until(() -> is("BACKING_OFF") && threads() == 0);
    assertTrue(memories.stream().allMatch(memory -> memory.closed));
  }

  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, OutOfMemoryError.class})
  void shouldOpenAgainAfterAnythingThatItsThreadMeets(Class<? extends Throwable> failure)
      throws Exception {
    AtomicBoolean isFirst = new AtomicBoolean(true);
    fate.onOpened =
        () -> {
          if (isFirst.getAndSet(false)) {
            throwAny(failure);
          }
        };
    link(1);
    ScriptedSendChannel next = new ScriptedSendChannel().acceptAll();
    dialer.open(channel.acceptAll()).open(next);
    link.connect();
    until(() -> dialer.dials() == 2 && is("OPEN"));
    assertEquals(ChannelState.CLOSED, channel.state());
    sendMarks(1);
    until(() -> marks(next).equals(List.of(1)));
    assertTrue(log.loud().get(0).contains(failure.getSimpleName()), log.loud()::toString);
  }

  private static void throwAny(Class<? extends Throwable> failure) {
    try {
      throw failure.getConstructor(String.class).newInstance("of this test");
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldEndAfterItIsClosedThoughWhatItHasCannotBeGivenBack() throws Exception {
    openLink();
    memories.forEach(
        memory ->
            memory.onClose =
                () -> {
                  throw new IllegalStateException("of this test");
                });
    link.close();
    // A thread that tries the same for ever ends never.
    link.join(20_000);
    assertEquals(1, log.loud().size());
  }

  @Test
  void shouldOpenWhenThereIsMemoryAgain() throws Exception {
    failingRegistrations.set(1);
    link(1);
    dialer.open(channel.acceptAll());
    link.connect();
    until(() -> is("BACKING_OFF"));
    link.connect();
    until(() -> is("OPEN"));
  }

  @Test
  void shouldAcceptNothingThatItWouldDrop() throws Exception {
    link(1);
    dialer.open(channel.acceptAll());
    link.connect();
    until(() -> is("OPEN"));
    CountDownLatch isClosing = new CountDownLatch(1);
    CountDownLatch mayClose = new CountDownLatch(1);
    channel.onClose =
        () -> {
          isClosing.countDown();
          awaitUninterrupted(mayClose);
        };
    channel.fail(ScriptedSendChannel.peerGone());
    link.checkNow();
    awaitUninterrupted(isClosing);
    // The pause, of a millisecond, is over by far; what waits in the link is not dropped yet.
    int buffer = buffer(1);
    until(() -> System.nanoTime() - inMs(-20) > 0);
    assertThrows(SocketException.class, () -> link.trySend(buffer, MESSAGE_BYTES));
    ScriptedSendChannel next = new ScriptedSendChannel().acceptAll();
    dialer.open(next);
    mayClose.countDown();
    until(() -> is("OPEN"));
    assertTrue(link.trySend(buffer, MESSAGE_BYTES));
    until(() -> marks(next).equals(List.of(1)));
    assertEquals(0, links.drops());
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldCountWhatItDropsWhenItCannotBeOpened() throws Exception {
    link(LONG_MS);
    sendMarks(1, 2, 3);
    dialer.refuse(Reason.NO_ROUTE);
    until(() -> pool.free() == BUFFERS);
    assertEquals(3, links.drops());
  }

  @Test
  void shouldDialAtOnceWhenCablesHaveChanged() throws Exception {
    link(LONG_MS);
    dialer.refuse(Reason.NO_ROUTE);
    link.connect();
    until(() -> is("BACKING_OFF"));
    until(() -> threads() == 0);
    link.retryNow();
    assertEquals(0, threads(), "nobody wants it");
    dialer.refuse(Reason.NO_ROUTE);
    link.connect();
    until(() -> dialer.dials() == 2 && is("BACKING_OFF"));
    int buffer = buffer(1);
    assertThrows(SocketException.class, () -> link.trySend(buffer, MESSAGE_BYTES));
    dialer.open(channel.acceptAll());
    link.retryNow();
    until(() -> is("OPEN"));
  }

  @Test
  void shouldRestartALongDialWhenCablesChange() throws Exception {
    link(LONG_MS);
    link.connect();
    until(() -> dialer.dials() == 1 && is("OPENING"));
    link.retryNow();
    assertEquals(1, dialer.dials(), "it may be about to succeed");
    time.pass(LinkDialer.STALE_DIAL_MS);
    until(() -> dialer.dials() == 2);
    assertTrue(is("OPENING"), "that is no failure, after which it would pause");
    dialer.open(channel.acceptAll());
    until(() -> is("OPEN"));
    assertEquals(2, dialer.dials());
  }

  @Test
  void shouldReportWhetherThePeerLives() throws Exception {
    openLink();
    channel.acceptAll();
    PeerLiveness.Probe alive = link.probe();
    until(() -> link.verdict(alive) == PeerLiveness.Verdict.ALIVE);
    PeerLiveness.Probe gone = link.probe();
    channel.fail(ScriptedSendChannel.peerGone());
    link.checkNow();
    until(() -> link.verdict(gone) != PeerLiveness.Verdict.UNKNOWN);
  }
}
