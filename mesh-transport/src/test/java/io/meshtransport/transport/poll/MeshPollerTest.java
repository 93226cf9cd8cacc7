// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.verbs.CompletionEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A poller over connections of two transports of this process.
 *
 * <p>Also tests {@link EventAttachment}, {@link EventFetch}, {@link PollCycle}, {@link
 * PollSchedule}, {@link PollerMember}, {@link ReadyQueue} and {@link ReportQueue}.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MeshPollerTest {
  private static final int BYTES = 64;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final long LONG_NS = LIMIT.toNanos();
  private static final int MANY = 100;

  /** Less than after which silent peers are looked for. */
  private static final long SILENCE_NS = 1_000_000_000;

  private static final int THOUSAND = 1_000;

  /** Concurrent set-ups. */
  private static final int AT_ONCE = 50;

  private Transport a;
  private Transport b;
  private Listener listener;
  private MeshPoller poller;
  private RegisteredMemory from;
  private RegisteredMemory to;
  private final List<Connection> outs = new ArrayList<>();
  private final List<Connection> ins = new ArrayList<>();
  private final Completions done = new Completions(64);

  @BeforeEach
  void open() throws Exception {
    a = open("127.77.42.1/24");
    b = open("127.77.42.2/24");
    listener = b.listen();
    poller = (MeshPoller) b.newPoller();
    from = a.allocate(BYTES);
    to = b.allocate(BYTES);
  }

  private static Transport open(String address) throws TransportException {
    return Transport.open(Map.of("MESH_LOOPBACK", address, "MESH_HANDSHAKE_PORT", "0"));
  }

  @AfterEach
  void close() {
    poller.close();
    a.close();
    b.close();
  }

  private void connect(int count) throws TransportException {
    for (int i = 0; i < count; i++) {
      outs.add(a.connect(listener.handle(), ConnectOptions.DEFAULT, LIMIT));
      Connection in = listener.acceptConnection(LIMIT);
      poller.add(in);
      ins.add(in);
    }
  }

  /** Until a thread sleeps in the poller, or is about to. */
  private void awaitSleep() {
    Awaitility.await().atMost(LIMIT).until(poller::isAwaited);
  }

  private long receive(int channel, int tag, long userData) {
    return receive(channel, tag, userData, Connection.NO_DEADLINE);
  }

  private long receive(int channel, int tag, long userData, long timeoutNs) {
    return ins.get(channel).irecv(to, 0, BYTES, tag, timeoutNs, userData);
  }

  private void send(int channel, int tag) {
    Connection out = outs.get(channel);
    assertEquals(BYTES, out.await(out.isend(from, 0, BYTES, tag), LIMIT));
  }

  @Test
  void shouldReportWhatHasEnded() throws Exception {
    connect(2);
    long request = receive(1, 7, 77);
    assertEquals(0, poller.poll(done));
    send(1, 7);
    assertEquals(1, poller.await(done, LONG_NS));
    assertEquals(CompletionKind.RECEIVED, done.kind(0));
    assertEquals(77, done.userData(0));
    assertSame(ins.get(1), done.connection(0));
    assertEquals(request, done.request(0));
    assertEquals(BYTES, done.lengthBytes(0));
    assertEquals(0, poller.poll(done));
    assertEquals(0, done.count());
  }

  @Test
  void shouldReportNoMoreThanFitAndTheRestLater() throws Exception {
    connect(3);
    Completions two = new Completions(2);
    for (int channel = 0; channel < 3; channel++) {
      receive(channel, 0, channel);
      receive(channel, 1, channel);
    }
    for (int channel = 0; channel < 3; channel++) {
      send(channel, 0);
      send(channel, 1);
    }
    int[] reported = new int[3];
    for (int found = 0; found < 6; found += two.count()) {
      assertTrue(poller.await(two, LONG_NS) > 0);
      for (int i = 0; i < two.count(); i++) {
        reported[(int) two.userData(i)]++;
      }
    }
    assertEquals(List.of(2, 2, 2), List.of(reported[0], reported[1], reported[2]));
  }

  @Test
  void shouldWakeAThreadThatSleeps() throws Exception {
    connect(1);
    receive(0, 7, 1);
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(() -> poller.await(done, LONG_NS));
    awaitSleep();
    send(0, 7);
    assertEquals(1, waiting.get(20, TimeUnit.SECONDS));
  }

  /** Nothing follows them, and the peer sends nothing. */
  @Test
  void shouldReportUnsignaledSendsOfItsOwnThread() throws Exception {
    connectSelective();
    long lastPolls = -1;
    // Until it is polled no more, as nothing happens.
    while (polls() != lastPolls) {
      lastPolls = polls();
      assertEquals(0, poller.await(done, 20_000_000));
    }
    sendSelective(1);
    assertEquals(1, poller.await(done, LONG_NS));
    assertEquals(CompletionKind.SENT, done.kind(0));
    assertEquals(1, done.userData(0));
  }

  @Test
  void shouldReportUnsignaledSendsThatBeginWhileItSleeps() throws Exception {
    connectSelective();
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(() -> poller.await(done, LONG_NS));
    awaitSleep();
    sendSelective(2);
    assertEquals(1, waiting.get(20, TimeUnit.SECONDS));
    assertEquals(2, done.userData(0));
  }

  /** An end at the poller that sends selectively to one that has receives. */
  private void connectSelective() throws TransportException {
    b.close();
    b =
        Transport.open(
            Map.of(
                "MESH_LOOPBACK",
                "127.77.42.2/24",
                "MESH_HANDSHAKE_PORT",
                "0",
                "MESH_TIMEOUT_MS",
                "100000"));
    listener = b.listen(ConnectOptions.DEFAULT.sendMode(SendMode.STREAM));
    poller = (MeshPoller) b.newPoller();
    to = b.allocate(BYTES);
    connect(1);
    outs.get(0).irecv(from, 0, BYTES, 7);
  }

  private void sendSelective(long userData) {
    ins.get(0).isend(to, 0, BYTES, 7, Connection.NO_DEADLINE, userData);
  }

  @Test
  void shouldEndOneWaitWhenWoken() throws Exception {
    connect(1);
    poller.wakeup();
    long startNs = System.nanoTime();
    assertEquals(0, poller.await(done, LONG_NS));
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(() -> poller.await(done, LONG_NS));
    awaitSleep();
    poller.wakeup();
    assertEquals(0, waiting.get(20, TimeUnit.SECONDS));
    assertTrue(System.nanoTime() - startNs < LONG_NS / 2);
    assertEquals(0, poller.await(done, 1_000_000));
  }

  @Test
  void shouldNotEndAWaitForAWakeUpBeforeTheOneThatReportedSomething() throws Exception {
    connect(1);
    receive(0, 7, 1);
    receive(0, 8, 2);
    send(0, 7);
    do {
      poller.wakeup();
    } while (poller.await(done, LONG_NS) == 0);
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(() -> poller.await(done, LONG_NS));
    Awaitility.await().atMost(LIMIT).until(() -> poller.isAwaited() || waiting.isDone());
    send(0, 8);
    assertEquals(1, waiting.get(20, TimeUnit.SECONDS));
  }

  @Test
  void shouldReportOnceAndLastThatAConnectionCanDoNoMore() throws Exception {
    connect(2);
    receive(0, 7, 1);
    receive(0, 8, 2);
    outs.get(0).close();
    List<CompletionKind> kinds = new ArrayList<>();
    while (!kinds.contains(CompletionKind.CLOSED)) {
      assertTrue(poller.await(done, LONG_NS) > 0);
      for (int i = 0; i < done.count(); i++) {
        kinds.add(done.kind(i));
        assertNotNull(done.failure(i));
        assertEquals(TransportException.Reason.PEER_CLOSED, done.failure(i).reason());
      }
    }
    assertEquals(
        List.of(CompletionKind.FAILED, CompletionKind.FAILED, CompletionKind.CLOSED), kinds);
    ins.get(0).close();
    assertEquals(0, poller.await(done, 20_000_000));
    receive(1, 9, 3);
    send(1, 9);
    assertEquals(1, poller.await(done, LONG_NS));
  }

  @Test
  void shouldReportWhatThisEndHasClosed() throws Exception {
    connect(1);
    receive(0, 7, 1);
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(() -> poller.await(done, LONG_NS));
    awaitSleep();
    ins.get(0).close();
    assertTrue(waiting.get(20, TimeUnit.SECONDS) >= 1);
    int last = done.count() - 1;
    if (done.kind(last) == CompletionKind.FAILED) {
      assertEquals(1, poller.await(done, LONG_NS));
      last = 0;
    }
    assertEquals(CompletionKind.CLOSED, done.kind(last));
    assertEquals(TransportException.Reason.CLOSED, done.failure(last).reason());
    String text = done.failure(last).getMessage();
    assertTrue(text.endsWith(": this end was closed."), text);
  }

  @Test
  void shouldCountTheMessagesThatCameBeforeTheDeadlineOfAMultiReceive() throws Exception {
    connect(1);
    long send = outs.get(0).isend(from, 0, 8, 7);
    long timeoutNs = 100_000_000;
    do {
      // On a busy host it may pass before the message has come.
      timeoutNs *= 2;
      assertTrue(timeoutNs < LONG_NS, "nothing comes");
      ins.get(0).irecv(new MultiReceive(to, 0, BYTES, 8, 4, 7), timeoutNs, 1);
      assertEquals(1, poller.await(done, LONG_NS));
    } while (done.kind(0) == CompletionKind.FAILED);
    assertEquals(CompletionKind.MESSAGE, done.kind(0));
    assertEquals(8, outs.get(0).await(send, LIMIT));

    assertEquals(1, poller.await(done, LONG_NS));
    assertEquals(CompletionKind.FAILED, done.kind(0));
    String text = done.failure(0).getMessage();
    assertTrue(text.contains("no more than 1 of the messages with tag 7 came within"), text);
  }

  @Test
  void shouldEndADeadlineOfAConnectionThatNothingHappensOn() throws Exception {
    connect(MANY);
    long startNs = System.nanoTime();
    receive(50, 7, 1, 100_000_000);
    assertEquals(1, poller.await(done, LONG_NS));
    long passedNs = System.nanoTime() - startNs;
    assertTrue(passedNs >= 100_000_000, passedNs + " ns");
    assertEquals(CompletionKind.FAILED, done.kind(0));
    assertEquals(TransportException.Reason.TIMED_OUT, done.failure(0).reason());
  }

  @Test
  void shouldHaveAConnectionToItself() throws Exception {
    connect(1);
    long request = receive(0, 7, 1);
    Connection in = ins.get(0);
    assertThrows(IllegalStateException.class, () -> in.test(request));
    assertThrows(IllegalStateException.class, () -> in.await(request, Duration.ZERO));
    assertThrows(IllegalStateException.class, () -> in.detach(request));
    assertThrows(IllegalStateException.class, () -> poller.add(in));
    poller.close();
    assertEquals(Channel.PENDING, in.test(request));
    assertThrows(IllegalStateException.class, () -> poller.poll(done));
  }

  /** What is idle is not polled. */
  @Test
  @Tag("slow")
  void shouldNotPollWhatIsIdle() throws Exception {
    connect(MANY);
    for (int channel = 0; channel < MANY; channel++) {
      receive(channel, 7, channel);
    }
    for (int i = 0; i < 100; i++) {
      poller.poll(done);
    }
    poller.await(done, 1_000_000);
    long before = polls();
    for (int i = 0; i < 1_000; i++) {
      receive(i % 3, 8, i);
      send(i % 3, 8);
      assertEquals(1, poller.await(done, LONG_NS));
    }
    long perMessage = (polls() - before) / 1_000;
    assertTrue(perMessage < 1_000, perMessage + " polls of connections for each message");
    long idle = ins.get(MANY - 1).counts().get(Counter.POLLS);
    assertTrue(idle < 200, idle + " polls of an idle connection");
  }

  /** The progress thread does it, and leaves alone what is idle. */
  @Test
  @Tag("slow")
  void shouldPollOnlyWhatHasEventsWhileItsProgramPollsNothing() throws Exception {
    connect(MANY);
    loseLateReceives(0, 1);
    Connection idle = ins.get(MANY - 1);
    long before = idle.counts().get(Counter.POLLS);
    long startNs = System.nanoTime();
    loseLateReceives(0, 20);
    // And as often as a sweep looks for silent peers, on a host that is busy.
    long sweeps = (System.nanoTime() - startNs) / SILENCE_NS;
    long polls = idle.counts().get(Counter.POLLS) - before;
    assertTrue(polls <= 4 + 4 * sweeps, polls + " polls of an idle connection");
  }

  /** The peer takes receives back, each of which wants an answer of an end that is not polled. */
  private void loseLateReceives(int channel, int count) throws TransportException {
    Connection out = outs.get(channel);
    RegisteredMemory sink = a.allocate(BYTES);
    for (int i = 0; i < count; i++) {
      TransportException late =
          assertThrows(
              TransportException.class, () -> out.receive(sink, 0, BYTES, 7, Duration.ofMillis(1)));
      assertEquals(TransportException.Reason.TIMED_OUT, late.reason(), late.getMessage());
      assertEquals(ChannelState.READY, out.state());
    }
  }

  /** One that sleeps on the descriptor has armed the poller, and may be busy with another. */
  @Test
  void shouldAnswerThePeerWhileAnEventLoopDoesNotPoll() throws Exception {
    connect(2);
    for (int round = 0; round < 3; round++) {
      while (!poller.arm()) {
        poller.poll(done);
      }
      loseLateReceives(1, 3);
    }
    receive(0, 7, 1);
    send(0, 7);
    while (poller.poll(done) == 0) {
      Thread.onSpinWait();
    }
    assertEquals(CompletionKind.RECEIVED, done.kind(0));
  }

  @Test
  void shouldHaveAThousandConnectionsWithoutAThreadForEach() throws Exception {
    connect(1);
    int threads = Thread.activeCount();
    List<CompletableFuture<Connection>> opening = new ArrayList<>();
    for (int i = 1; i < THOUSAND; i++) {
      opening.add(a.connect(listener.handle(), ConnectOptions.DEFAULT));
      if (opening.size() == AT_ONCE || i == THOUSAND - 1) {
        for (CompletableFuture<Connection> each : opening) {
          outs.add(each.get(20, TimeUnit.SECONDS));
          Connection in = listener.acceptConnection(LIMIT);
          poller.add(in);
          ins.add(in);
        }
        opening.clear();
      }
    }
    assertTrue(
        Thread.activeCount() < threads + 50,
        Thread.activeCount() + " threads now, were " + threads);

    for (int i = 0; i < THOUSAND; i++) {
      receive(i, 7, i);
    }
    for (int i = 0; i < THOUSAND; i++) {
      outs.get(i).isend(from, 0, BYTES, 7);
    }
    boolean[] isReported = new boolean[THOUSAND];
    for (int left = THOUSAND; left > 0; left -= done.count()) {
      assertTrue(poller.await(done, LONG_NS) > 0, left + " are left");
      for (int i = 0; i < done.count(); i++) {
        assertEquals(CompletionKind.RECEIVED, done.kind(i));
        assertFalse(isReported[(int) done.userData(i)]);
        isReported[(int) done.userData(i)] = true;
      }
    }
    assertLeavesAloneWhatIsIdle();
  }

  /** Of a thousand connections one has messages; the last one is polled by sweeps alone. */
  private void assertLeavesAloneWhatIsIdle() throws TransportException {
    while (poller.await(done, 20_000_000) > 0) {
      Thread.onSpinWait();
    }
    Connection idle = ins.get(THOUSAND - 1);
    long before = idle.counts().get(Counter.POLLS);
    long startNs = System.nanoTime();
    for (int i = 0; i < MANY; i++) {
      receive(0, 8, i);
      send(0, 8);
      assertEquals(1, poller.await(done, LONG_NS));
    }
    long sweeps = 1 + (System.nanoTime() - startNs) / SweepTimer.MIN_SWEEP_NS;
    long polls = idle.counts().get(Counter.POLLS) - before;
    assertTrue(polls <= 4 + sweeps, polls + " polls of an idle connection, sweeps: " + sweeps);
  }

  /** Those of another provider, at which nothing of this one can be attached. */
  private static final class ForeignEvents implements CompletionEvents {
    private final Semaphore wakeUps = new Semaphore(0);
    private final Queue<Long> sleepsNs = new ConcurrentLinkedQueue<>();

    @Override
    public boolean await(long timeoutNs) {
      if (timeoutNs > 0) {
        sleepsNs.add(timeoutNs);
        try {
          if (wakeUps.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)) {
            wakeUps.drainPermits();
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return false;
    }

    @Override
    public boolean awaitUndriven(long timeoutNs) {
      return await(timeoutNs);
    }

    @Override
    public Object next() {
      return null;
    }

    @Override
    public void wakeUp() {
      wakeUps.release();
    }

    @Override
    public int fd() {
      throw new AssertionError("nobody sleeps on a descriptor here");
    }

    @Override
    public boolean arm() {
      return true;
    }

    @Override
    public void close() {}
  }

  private MeshPoller pollerOver(CompletionEvents events) throws TransportException {
    outs.add(a.connect(listener.handle(), ConnectOptions.DEFAULT, LIMIT));
    Connection in = listener.acceptConnection(LIMIT);
    ins.add(in);
    MeshPoller made =
        new MeshPoller(
            ((MeshChannel) in).context(),
            events,
            new ProgressThread(true, Optional::empty),
            closed -> {});
    made.add(in);
    return made;
  }

  /** As over RDMA devices, where a relayed connection's device is one in software. */
  @Test
  void shouldPollWithPausesWhatRaisesNoEventHere() throws Exception {
    ForeignEvents events = new ForeignEvents();
    MeshPoller foreign = pollerOver(events);
    receive(0, 7, 1);
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(() -> foreign.await(done, LONG_NS));
    Awaitility.await().atMost(LIMIT).until(() -> events.sleepsNs.size() > 2);
    send(0, 7);
    assertEquals(1, waiting.get(20, TimeUnit.SECONDS));
    assertEquals(CompletionKind.RECEIVED, done.kind(0));
    assertTrue(
        events.sleepsNs.stream().allMatch(each -> each <= PollerMember.UNHEARD_PAUSE_NS),
        events.sleepsNs.toString());
    outs.get(0).close();
    assertEquals(1, foreign.await(done, LONG_NS));
    assertEquals(CompletionKind.CLOSED, done.kind(0));
    foreign.close();
  }

  /** An event loop that slept would never hear of it. */
  @Test
  void shouldLetNoEventLoopSleepOverWhatRaisesNoEventHere() throws Exception {
    ForeignEvents events = new ForeignEvents();
    MeshPoller foreign = pollerOver(events);
    assertFalse(foreign.arm());
    outs.get(0).close();
    Awaitility.await().atMost(LIMIT).until(() -> foreign.poll(done) > 0);
    assertEquals(CompletionKind.CLOSED, done.kind(0));
    assertTrue(foreign.arm());
    foreign.close();
  }

  private long polls() {
    return ins.stream().mapToLong(in -> in.counts().get(Counter.POLLS)).sum();
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothing() throws Exception {
    connect(12);
    // One whose polls are counted with it, since the sending end waits in the same thread.
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            2_000,
            20,
            () -> {
              for (int i = 0; i < 2_000; i++) {
                int channel = i * 5 % 12;
                receive(channel, 7, i);
                Connection out = outs.get(channel);
                long send = out.isend(from, 0, BYTES, 7);
                int found = 0;
                while (found == 0) {
                  found = poller.poll(done);
                }
                while (out.test(send) == Channel.PENDING) {
                  Thread.onSpinWait();
                }
              }
            });
  }
}
