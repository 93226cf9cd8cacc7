// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.message.MeshConnection;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Connections from both ends.
 *
 * <p>Also tests {@link io.meshtransport.transport.connect.PromisedFuture}, {@link
 * io.meshtransport.transport.message.Withdrawals}, {@link
 * io.meshtransport.transport.message.WithdrawalAnswers}, {@link
 * io.meshtransport.transport.message.PutNotices}, {@link
 * io.meshtransport.transport.message.NoticeCredit}, {@link
 * io.meshtransport.transport.message.NoticeGrants}, {@link
 * io.meshtransport.transport.message.UnexpectedMessages}, {@link
 * io.meshtransport.transport.message.UnexpectedReports}, {@link
 * io.meshtransport.transport.channel.NoticeQueue}, {@link
 * io.meshtransport.transport.channel.ProgramPolls}, {@link
 * io.meshtransport.transport.connect.AcceptQueue}, {@link
 * io.meshtransport.transport.message.SendDirection}, {@link
 * io.meshtransport.transport.message.ReceiveDirection} and {@link
 * io.meshtransport.transport.message.DuplexEvents}.
 */
class MeshConnectionTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int MESSAGES = 3000;

  private Transport a;
  private Transport b;
  private Listener listener;
  private Connection ofA;
  private Connection ofB;

  @BeforeEach
  void connect() throws TransportException {
    a = open("a", "127.41.1.1/24");
    b = open("b", "127.41.1.2/24");
    listener = b.listen(ConnectOptions.DEFAULT.hello(bytes("from b")));
    ofA = a.connect(listener.handle(), ConnectOptions.DEFAULT.hello(bytes("from a")), SOON);
    ofB = listener.acceptConnection(SOON);
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  private static Transport open(String name, String address) throws TransportException {
    return Transport.open(
        Map.of("MESH_PROVIDER", "soft", "MESH_LOOPBACK", address, "MESH_NODE", name));
  }

  private List<Object> namesByJmx() {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    List<Object> names = new ArrayList<>();
    try {
      ObjectName pattern =
          new ObjectName("io.meshtransport:type=Transport,id=" + a.self().id() + ",*");
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> !server.queryNames(pattern, null).isEmpty());
      for (ObjectName transport : server.queryNames(pattern, null)) {
        for (CompositeData each : (CompositeData[]) server.getAttribute(transport, "Channels")) {
          names.add(each.get("name"));
        }
      }
      return names;
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  /** The owner of memory that it has closed, and at which the peer then puts. */
  @Test
  void shouldNameTheRefusedAccessAtTheOwnersEndToo() throws TransportException {
    RegisteredMemory owned = b.allocate(64, Set.of(RemoteAccess.PUT));
    RemoteMemory remote = a.remoteMemory(owned.remoteKey());
    owned.close();
    long receive = ofB.irecv(ByteBuffer.allocate(64), 1);
    long put = ofA.iput(a.allocate(64), 0, 64, remote, 0, Connection.NO_DEADLINE);
    assertEquals(Channel.FAILED, ofA.await(put, SOON));
    assertEquals(Channel.FAILED, ofB.await(receive, SOON));
    TransportException here = ofB.failure(receive);
    assertEquals(Reason.REMOTE_ACCESS, here.reason(), here.toString());
    assertTrue(here.getMessage().contains("this node's device refused"), here.getMessage());
  }

  @Test
  void shouldShowItsNameInItsTextAndByJmx() throws TransportException {
    Connection named = a.connect(listener.handle(), ConnectOptions.DEFAULT.name("bulk"), SOON);
    assertEquals("bulk", named.name());
    assertTrue(named.toString().contains("(bulk)"), named.toString());
    assertTrue(namesByJmx().contains("bulk"), () -> "" + namesByJmx());
  }

  @Test
  void shouldGiveRequestsTheDeadlineOfTheSettingUnlessTheOptionsHaveAnother() throws Exception {
    try (Transport hurried =
            Transport.open(
                Map.of(
                    "MESH_PROVIDER",
                    "soft",
                    "MESH_LOOPBACK",
                    "127.41.1.3/24",
                    "MESH_REQUEST_TIMEOUT_MS",
                    "50"));
        Connection usual = hurried.connect(listener.handle(), ConnectOptions.DEFAULT, SOON);
        Connection patient =
            hurried.connect(listener.handle(), ConnectOptions.DEFAULT.withoutDeadline(), SOON);
        SendChannel oneWay = hurried.connect(listener.handle(), SOON)) {
      ByteBuffer message = ByteBuffer.allocate(8);
      long waits = patient.isend(message, 1);
      for (SendChannel each : new SendChannel[] {usual, oneWay}) {
        long request = each.isend(message, 1);
        assertEquals(SendChannel.FAILED, each.await(request, SOON));
        assertEquals(Reason.TIMED_OUT, each.failure(request).reason());
        assertEquals(ChannelState.READY, each.state());
      }
      long receive = usual.irecv(message, 1);
      assertEquals(Connection.FAILED, usual.await(receive, SOON));
      assertEquals(Reason.TIMED_OUT, usual.failure(receive).reason());
      assertEquals(ChannelState.READY, usual.state());
      assertEquals(Connection.PENDING, patient.test(waits));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldNameBothEndsAndCarryTheirFirstBytes() {
    assertArrayEquals(bytes("from b"), ofA.hello());
    assertArrayEquals(bytes("from a"), ofB.hello());
    assertEquals(b.self(), ofA.peer());
    assertEquals(a.self(), ofB.peer());
    assertEquals("b", ofA.peer().name());
    assertTrue(
        ofA.toString().startsWith("Connection to " + b.self() + " at 127.41.1.2"), ofA.toString());
  }

  /** Many more messages than either end has receives for, so that both kinds of them grow. */
  @Test
  void shouldCarryMessagesInBothDirectionsAtOnce() throws Exception {
    CompletableFuture<Void> there = CompletableFuture.runAsync(() -> echo(ofB));
    for (int first = 0; first < MESSAGES; first += 30) {
      long[] sends = new long[30];
      long[] receives = new long[30];
      ByteBuffer[] answers = new ByteBuffer[30];
      for (int i = 0; i < 30; i++) {
        answers[i] = ByteBuffer.allocateDirect(8);
        receives[i] = ofA.irecv(answers[i], 2);
      }
      for (int i = 0; i < 30; i++) {
        sends[i] = ofA.isend(ByteBuffer.allocateDirect(8).putLong(0, first + i), 1);
      }
      for (int i = 0; i < 30; i++) {
        assertEquals(8, ofA.await(sends[i], SOON));
        assertEquals(8, ofA.await(receives[i], SOON));
        assertEquals(first + i, answers[i].getLong(0));
      }
    }
    there.get();
  }

  private static void echo(Connection end) {
    try {
      ByteBuffer one = ByteBuffer.allocateDirect(8);
      for (int i = 0; i < MESSAGES; i++) {
        end.receive(one, 1, SOON);
        end.send(one, 2, SOON);
      }
    } catch (TransportException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldFailAtBothEndsWhenOneCloses() {
    long waiting = ofB.irecv(ByteBuffer.allocateDirect(8), 7);
    long unmatched = ofB.isend(ByteBuffer.allocateDirect(8), 7);

    ofA.close();

    assertEquals(SendChannel.FAILED, ofB.await(waiting, SOON));
    assertEquals(Reason.PEER_CLOSED, ofB.failure().reason());
    assertEquals(SendChannel.FAILED, ofB.await(unmatched, SOON));
    assertEquals(Reason.PEER_CLOSED, ofB.failure().reason());
    assertEquals(ChannelState.FAILED, ofB.state());
  }

  @Test
  void shouldGiveAConnectionAndAOneWayChannelToTheirOwnAccepts() throws Exception {
    try (SendChannel oneWay = a.connect(listener.handle(), SOON);
        Connection second = a.connect(listener.handle(), ConnectOptions.DEFAULT, SOON)) {
      try (Connection there = listener.acceptConnection(SOON);
          ReceiveChannel receives = listener.accept(SOON)) {
        assertEquals(0, there.hello().length);
        long request = receives.irecv(ByteBuffer.allocateDirect(4), 1);
        oneWay.send(ByteBuffer.allocateDirect(4), 1, SOON);
        assertEquals(4, receives.await(request, SOON));
        assertEquals(ChannelState.READY, second.state());
      }
    }
  }

  @Test
  void shouldEndARequestWithoutADeadlineOfItsOwnByTheDeadlineOfTheConnection() throws Exception {
    ConnectOptions hasty = ConnectOptions.DEFAULT.deadline(Duration.ofMillis(50));
    try (Connection one = a.connect(listener.handle(), hasty, SOON)) {
      long request = one.isend(ByteBuffer.allocateDirect(8), 3);

      assertEquals(SendChannel.FAILED, one.await(request, SOON));
      assertEquals(Reason.TIMED_OUT, one.failure(request).reason());
      assertEquals(ChannelState.READY, one.state());
    }
  }

  @Test
  void shouldTakeBackAReceiveThatNoMessageComesFor() {
    long request = ofA.irecv(ByteBuffer.allocateDirect(8), 5);
    ofA.withdraw(request);
    ofA.withdraw(request);

    assertEquals(SendChannel.FAILED, awaitPolling(ofA, request, ofB));
    assertEquals(Reason.WITHDRAWN, ofA.failure(request).reason());
    exchange(ofB, ofA, 5);
    exchange(ofA, ofB, 5);
  }

  /** What the peer has matched comes; everything else is taken back. */
  @Test
  void shouldEndEveryWithdrawnReceiveWithItsMessageOrWithout() {
    Random random = new Random(7);
    int received = 0;
    int withdrawn = 0;
    for (int round = 0; round < 300; round++) {
      int count = 1 + random.nextInt(8);
      long[] receives = new long[count];
      for (int i = 0; i < count; i++) {
        receives[i] = ofA.irecv(ByteBuffer.allocateDirect(8), 5);
      }
      long[] sent = new long[random.nextInt(count + 1)];
      for (int i = 0; i < sent.length; i++) {
        sent[i] = ofB.isend(ByteBuffer.allocateDirect(8).putLong(0, i), 5);
      }
      for (int i = count - 1; i >= 0; i--) {
        ofA.withdraw(receives[i]);
      }
      int came = 0;
      for (long receive : receives) {
        if (awaitPolling(ofA, receive, ofB) == 8) {
          came++;
        } else {
          assertEquals(Reason.WITHDRAWN, ofA.failure(receive).reason());
          withdrawn++;
        }
      }
      received += came;
      // What was not matched finds the receives that come next.
      for (int i = came; i < sent.length; i++) {
        assertEquals(8, awaitPolling(ofA, ofA.irecv(ByteBuffer.allocateDirect(8), 5), ofB));
      }
      for (long send : sent) {
        assertEquals(8, awaitPolling(ofB, send, ofA));
      }
    }
    assertTrue(received > 50 && withdrawn > 50, received + " came, " + withdrawn + " did not");
  }

  /** Its slot is used again while its withdrawal waits for the answer of another. */
  @Test
  void shouldNotTakeBackTheReceiveAfterOneThatGotItsMessage() {
    long first = ofA.irecv(ByteBuffer.allocateDirect(8), 1);
    long second = ofA.irecv(ByteBuffer.allocateDirect(8), 2);
    exchange(ofB, ofA, 9);
    long send = ofB.isend(ByteBuffer.allocateDirect(8), 2);
    ofA.withdraw(first);
    ofA.withdraw(second);
    while (ofA.test(second) == SendChannel.PENDING) {
      Thread.onSpinWait();
    }
    long third = ofA.irecv(ByteBuffer.allocateDirect(8), 3);
    assertEquals(SendChannel.FAILED, awaitPolling(ofA, first, ofB));
    assertEquals(8, awaitPolling(ofB, send, ofA));

    exchange(ofB, ofA, 9);
    assertEquals(8, awaitPolling(ofB, ofB.isend(ByteBuffer.allocateDirect(8), 3), ofA));
    assertEquals(8, awaitPolling(ofA, third, ofB));
  }

  @Test
  void shouldLoseAReceiveOnlyWhenItsDeadlinePasses() throws Exception {
    CompletableFuture<Void> there =
        CompletableFuture.runAsync(
            () -> {
              long request = ofB.irecv(ByteBuffer.allocateDirect(8), 9);
              assertEquals(8, ofB.await(request, SOON));
            });
    TransportException why =
        assertThrows(
            TransportException.class,
            () -> ofA.receive(ByteBuffer.allocateDirect(8), 5, Duration.ofMillis(50)));

    assertEquals(Reason.TIMED_OUT, why.reason());
    assertEquals(ChannelState.READY, ofA.state());
    ofA.send(ByteBuffer.allocateDirect(8), 9, SOON);
    there.get();
    exchange(ofB, ofA, 5);
  }

  @Test
  void shouldTakeBackPartOfAGroup() throws Exception {
    try (RegisteredMemory memory = a.allocate(64)) {
      ReceiveGroup group = new ReceiveGroup().add(memory, 0, 8, 1).add(memory, 8, 8, 2);
      long request = ofA.irecv(group, SendChannel.NO_DEADLINE);
      assertEquals(8, awaitPolling(ofB, ofB.isend(ByteBuffer.allocateDirect(8), 1), ofA));
      ofA.withdraw(request);

      assertEquals(SendChannel.FAILED, awaitPolling(ofA, request, ofB));
      assertEquals(Reason.WITHDRAWN, ofA.failure(request).reason());
      exchange(ofB, ofA, 2);
    }
  }

  @Test
  void shouldWithdrawReceivesOnly() {
    long send = ofA.isend(ByteBuffer.allocateDirect(8), 5);
    assertThrows(IllegalArgumentException.class, () -> ofA.withdraw(send));
    assertThrows(IllegalArgumentException.class, () -> ofA.withdraw(send + 64));
  }

  /** Receive 0 of slot 0 is announced, and nobody wants it back. */
  @ParameterizedTest(name = "message {0} of slot {1}, {2}")
  @CsvSource({"10,0,1", "10,0,0", "10,1,1", "10,255,255", "9,64,0", "9,255,0"})
  void shouldFailWhereNoCorrectPeerTakesReceivesBack(int kind, int slot, long number) {
    long request = ofA.irecv(ByteBuffer.allocateDirect(8), 5);
    MeshConnection hostile = (MeshConnection) ofB;
    hostile.core.lock.lock();
    try {
      hostile.control().sendNumber(kind, slot, 0, 0, number);
    } finally {
      hostile.core.lock.unlock();
    }

    assertEquals(SendChannel.FAILED, awaitPolling(ofA, request, ofB));
    assertEquals(Reason.PROTOCOL, ofA.failure(request).reason());
    assertEquals(ChannelState.FAILED, ofA.state());
  }

  @ParameterizedTest(name = "message {0}, {1}")
  @CsvSource({
    "11,-1",
    "11,1099511627777",
    "12,0",
    "12,1",
    "12,-1",
    "12,65",
    "13,8",
    "14,0",
    "14,-1",
    "14,17"
  })
  void shouldFailWhereNoCorrectPeerGivesNoticeOrCredit(int kind, long number) {
    long request = ofA.irecv(ByteBuffer.allocateDirect(8), 5);
    MeshConnection hostile = (MeshConnection) ofB;
    hostile.core.lock.lock();
    try {
      hostile.control().sendNumber(kind, 0, 0, 0, number);
    } finally {
      hostile.core.lock.unlock();
    }

    assertEquals(SendChannel.FAILED, awaitPolling(ofA, request, ofB));
    assertEquals(Reason.PROTOCOL, ofA.failure(request).reason());
  }

  @Test
  void shouldFailWhereThePeerGivesMoreNoticesThanItHasCreditFor() {
    long request = ofA.irecv(ByteBuffer.allocateDirect(8), 5);
    MeshConnection hostile = (MeshConnection) ofB;
    for (int i = 0; i <= Connection.MAX_NOTICES; i++) {
      assertEquals(SendChannel.PENDING, ofA.test(request));
      long seen = ofA.progressCount();
      hostile.core.lock.lock();
      try {
        hostile.control().sendNumber(ControlMessage.PUT_NOTICE, 0, 0, 0, 8);
      } finally {
        hostile.core.lock.unlock();
      }
      ofA.awaitProgress(seen, SOON);
      ofB.awaitProgress(-1, Duration.ZERO);
    }

    assertEquals(SendChannel.FAILED, awaitPolling(ofA, request, ofB));
    assertEquals(Reason.PROTOCOL, ofA.failure(request).reason());
  }

  @ParameterizedTest(name = "{0} times {1} bytes")
  @CsvSource({"17,8", "1,-1", "1,1099511627777"})
  void shouldFailWhereThePeerReportsMoreThanItMay(int times, long lengthBytes) throws Exception {
    CompletableFuture<Connection> accept = listener.acceptConnection();
    try (Connection reporting =
            a.connect(listener.handle(), ConnectOptions.DEFAULT.reportUnexpected(), SOON);
        Connection there = accept.get(SOON.toSeconds(), TimeUnit.SECONDS)) {
      long request = reporting.irecv(ByteBuffer.allocateDirect(8), 5);
      MeshConnection hostile = (MeshConnection) there;
      for (int i = 0; i < times; i++) {
        assertEquals(SendChannel.PENDING, reporting.test(request));
        long seen = reporting.progressCount();
        hostile.core.lock.lock();
        try {
          hostile.control().sendUnexpected(i, 0, lengthBytes);
        } finally {
          hostile.core.lock.unlock();
        }
        reporting.awaitProgress(seen, SOON);
        there.awaitProgress(-1, Duration.ZERO);
      }
      assertEquals(SendChannel.FAILED, awaitPolling(reporting, request, there));
      assertEquals(Reason.PROTOCOL, reporting.failure(request).reason());
    }
  }

  private static void exchange(Connection from, Connection to, int tag) {
    long request = to.irecv(ByteBuffer.allocateDirect(8), tag);
    long send = from.isend(ByteBuffer.allocateDirect(8), tag);
    assertEquals(8, awaitPolling(to, request, from));
    assertEquals(8, awaitPolling(from, send, to));
  }

  /** Waits for a request at one end, while the other end is polled, too. */
  private static long awaitPolling(Connection end, long request, Connection other) {
    long untilNs = System.nanoTime() + SOON.toNanos();
    long outcome = end.test(request);
    while (outcome == SendChannel.PENDING && System.nanoTime() < untilNs) {
      other.awaitProgress(other.progressCount() + 1, Duration.ZERO);
      outcome = end.test(request);
    }
    return outcome;
  }

  @Test
  void shouldCloseAConnectionThatComesAfterItWasCancelled() throws Exception {
    CompletableFuture<Connection> accept = listener.acceptConnection();
    accept.cancel(false);
    try (Connection one = a.connect(listener.handle(), ConnectOptions.DEFAULT, SOON);
        Connection there = listener.acceptConnection(SOON)) {
      assertEquals(a.self(), there.peer());
      assertEquals(ChannelState.READY, one.state());
    }
  }

  @Test
  void shouldFailAcceptsWhenTheListenerCloses() {
    CompletableFuture<Connection> accept = listener.acceptConnection();
    listener.close();
    Exception why = assertThrows(Exception.class, accept::get);
    assertEquals(Reason.CLOSED, ((TransportException) why.getCause()).reason());
  }
}
