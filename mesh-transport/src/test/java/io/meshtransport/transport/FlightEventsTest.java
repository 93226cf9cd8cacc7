// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.testing.AllocationCounter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a flight recording shows, read back from its file.
 *
 * <p>Also tests {@link io.meshtransport.transport.jfr.FlightEvents}, {@link
 * io.meshtransport.transport.jfr.HandshakeEvent}, {@link
 * io.meshtransport.transport.jfr.ChannelStateEvent}, {@link
 * io.meshtransport.transport.jfr.RailLostEvent}, {@link
 * io.meshtransport.transport.jfr.SlowRequestEvent}, {@link
 * io.meshtransport.transport.jfr.RequestSpans}, {@link
 * io.meshtransport.transport.jfr.HandshakeSpan}, {@link
 * io.meshtransport.transport.jfr.HandshakeEnds}, {@link
 * io.meshtransport.transport.jfr.ChannelLabel} and {@link
 * io.meshtransport.transport.jfr.FailureText}.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlightEventsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String HANDSHAKE = "io.meshtransport.Handshake";
  private static final String STATE = "io.meshtransport.ChannelState";
  private static final String RAIL_LOST = "io.meshtransport.RailLost";
  private static final String SLOW = "io.meshtransport.SlowRequest";
  private static final int THRESHOLD_MS = 250;
  private static final int QUICK_BYTES = 4;
  private static final int LONG_BYTES = 1 << 20;
  private static final int MESSAGES = 20_000;

  @TempDir Path folder;

  /** Something that is recorded. */
  @FunctionalInterface
  private interface Action {
    void run() throws Exception;
  }

  private List<RecordedEvent> recorded(String event, Action action) throws Exception {
    try (Recording recording = new Recording()) {
      recording.enable(event);
      recording.start();
      action.run();
      recording.stop();
      return read(recording, folder.resolve("recording.jfr"), event);
    }
  }

  private static List<RecordedEvent> read(Recording recording, Path file, String event)
      throws IOException {
    recording.dump(file);
    List<RecordedEvent> found = new ArrayList<>(RecordingFile.readAllEvents(file));
    found.removeIf(each -> !each.getEventType().getName().equals(event));
    // The file has them thread by thread.
    found.sort(Comparator.comparing(RecordedEvent::getEndTime));
    return found;
  }

  private static Transport open(String name, String address, String secret)
      throws TransportException {
    Map<String, String> settings = new HashMap<>();
    settings.put("MESH_PROVIDER", "soft");
    settings.put("MESH_LOOPBACK", address);
    settings.put("MESH_NODE", name);
    if (!secret.isEmpty()) {
      settings.put("MESH_SECRET", secret);
    }
    return Transport.open(settings);
  }

  /** Two connected nodes. */
  private static final class Pair implements AutoCloseable {
    final Transport a = open("a", "127.44.1.1/24", "");
    final Transport b = open("b", "127.44.1.2/24", "");
    final Connection ofA;
    final Connection ofB;

    Pair() throws TransportException {
      Listener listener = b.listen(ConnectOptions.DEFAULT);
      ofA = a.connect(listener.handle(), ConnectOptions.DEFAULT, SOON);
      ofB = listener.acceptConnection(SOON);
    }

    @Override
    public void close() {
      a.close();
      b.close();
    }
  }

  private static List<String> all(List<RecordedEvent> events, String field) {
    return events.stream().map(each -> each.getString(field)).toList();
  }

  @Test
  void shouldRecordTheHandshakeOfBothEnds() throws Exception {
    List<Transport> nodes = new ArrayList<>();
    List<RecordedEvent> events =
        recorded(
            HANDSHAKE,
            () -> {
              try (Pair pair = new Pair()) {
                nodes.addAll(List.of(pair.a, pair.b));
              }
            });

    assertEquals(2, events.size(), events::toString);
    for (RecordedEvent event : events) {
      boolean isConnecting = event.getString("side").equals("connecting");
      Transport peer = nodes.get(isConnecting ? 1 : 0);
      assertEquals("READY", event.getString("outcome"));
      assertEquals("", event.getString("message"));
      assertEquals(peer.self().name(), event.getString("peerName"));
      assertEquals(peer.self().shortId(), event.getString("peer"));
      assertEquals(
          isConnecting ? "127.44.1.1/24" : "127.44.1.2/24", event.getString("localAddress"));
      assertEquals(isConnecting ? "127.44.1.2" : "127.44.1.1", event.getString("peerAddress"));
      assertFalse(event.getString("localNic").isEmpty());
      assertTrue(event.getDuration().toNanos() > 0);
    }
    assertEquals(
        List.of("accepting", "connecting"), all(events, "side").stream().sorted().toList());
  }

  @Test
  void shouldRecordWhyAHandshakeFailed() throws Exception {
    List<RecordedEvent> events =
        recorded(
            HANDSHAKE,
            () -> {
              try (Transport a = open("a", "127.44.2.1/24", "the first of two secrets");
                  Transport b = open("b", "127.44.2.2/24", "the second of two secrets");
                  Listener listener = b.listen()) {
                assertThrows(TransportException.class, () -> a.connect(listener.handle(), SOON));
              }
            });

    assertEquals(List.of("REFUSED"), all(events, "outcome"));
    assertTrue(events.get(0).getString("message").contains("MESH_SECRET"));
  }

  @Test
  void shouldRecordEveryStateOfAConnection() throws Exception {
    List<String> ids = new ArrayList<>();
    List<RecordedEvent> events =
        recorded(
            STATE,
            () -> {
              try (Pair pair = new Pair()) {
                ids.add(pair.b.self().shortId());
                pair.ofA.close();
                while (pair.ofB.state() == ChannelState.READY) {
                  pair.ofB.awaitProgress(pair.ofB.progressCount(), Duration.ofMillis(10));
                }
              }
            });

    List<RecordedEvent> connecting = new ArrayList<>(events);
    connecting.removeIf(each -> each.getString("direction").equals("from"));
    assertEquals(
        List.of("ROUTING", "HANDSHAKING", "READY", "DRAINING", "CLOSED"), all(connecting, "to"));
    assertEquals(
        List.of("NEW", "ROUTING", "HANDSHAKING", "READY", "DRAINING"), all(connecting, "from"));
    RecordedEvent ready = connecting.get(2);
    assertEquals(ids.get(0), ready.getString("peer"));
    assertEquals("b", ready.getString("peerName"));
    assertTrue(ready.getString("route").contains("127.44.1.2"), ready::toString);
    assertTrue(ready.getLong("channel") > 0);
    assertEquals(Transport.MAX_REQUESTS, ready.getInt("maxRequests"));
    RecordedEvent failed =
        events.stream().filter(each -> each.getString("to").equals("FAILED")).findFirst().get();
    assertEquals("from", failed.getString("direction"));
    assertEquals("PEER_CLOSED", failed.getString("reason"));
    assertTrue(failed.getString("message").contains("closed"), failed::toString);
  }

  @Test
  void shouldRecordALostRail() throws Exception {
    List<RecordedEvent> events =
        recorded(
            RAIL_LOST,
            () -> {
              SimulatedCable cable = new SimulatedCable(1_000, 0, 1_000_000_000L);
              try (SimulatedLine line = SimulatedLine.railed(1, cable, 4096, 2, 2)) {
                line.joinRail();
                RegisteredMemory to = line.to.register(ByteBuffer.allocateDirect(LONG_BYTES));
                RegisteredMemory from = line.from.register(ByteBuffer.allocateDirect(LONG_BYTES));
                line.in.irecv(to, 0, LONG_BYTES, 1);
                line.cut(1);
                line.out.isend(from, 0, LONG_BYTES, 1);
                line.letSilenceEnd();
              }
            });

    assertFalse(events.isEmpty());
    for (RecordedEvent event : events) {
      assertEquals(1, event.getInt("rail"));
      assertEquals(1, event.getInt("railsLeft"));
      assertEquals("PEER_GONE", event.getString("reason"));
      assertFalse(event.getString("message").isEmpty());
    }
  }

  private static long send(Pair pair, long timeoutNs) {
    return pair.ofA.isend(ByteBuffer.allocateDirect(8), 1, timeoutNs);
  }

  private static void receive(Pair pair) {
    long received = pair.ofB.irecv(ByteBuffer.allocateDirect(8), 1);
    assertEquals(8, pair.ofB.await(received, SOON));
  }

  /** Waits in vain for longer than the events' threshold: its age is what is tested. */
  private static void growOlderThanTheThreshold(Connection of, long request) {
    assertEquals(Channel.PENDING, of.await(request, Duration.ofMillis(2 * THRESHOLD_MS)));
  }

  private static void sendSlowly(Pair pair) {
    long sent = send(pair, Connection.NO_DEADLINE);
    growOlderThanTheThreshold(pair.ofA, sent);
    receive(pair);
    assertEquals(8, pair.ofA.await(sent, SOON));
  }

  @Test
  @Tag("slow")
  void shouldRecordSendsThatTookLongAndNoOthers() throws Exception {
    try (Pair pair = new Pair();
        Recording recording = new Recording()) {
      recording.enable(SLOW).withThreshold(Duration.ofMillis(THRESHOLD_MS));
      recording.start();
      // A receive that waits for its message is not slow.
      long early = pair.ofB.irecv(ByteBuffer.allocateDirect(8), 1);
      growOlderThanTheThreshold(pair.ofB, early);
      long beganNs = System.nanoTime();
      long quick = pair.ofA.isend(ByteBuffer.allocateDirect(QUICK_BYTES), 1);
      assertEquals(QUICK_BYTES, pair.ofA.await(quick, SOON));
      boolean isQuick = System.nanoTime() - beganNs < TimeUnit.MILLISECONDS.toNanos(THRESHOLD_MS);
      assertEquals(QUICK_BYTES, pair.ofB.await(early, SOON));
      sendSlowly(pair);
      long failing = send(pair, TimeUnit.MILLISECONDS.toNanos(2 * THRESHOLD_MS));
      assertEquals(Channel.FAILED, pair.ofA.await(failing, SOON));
      recording.stop();

      List<RecordedEvent> events = read(recording, folder.resolve("slow.jfr"), SLOW);
      // A busy host may have held it up.
      events.removeIf(event -> !isQuick && event.getLong("length") == QUICK_BYTES);
      assertEquals(List.of("SENT", "SENT"), all(events, "kind"), events::toString);
      assertEquals(List.of("", "TIMED_OUT"), all(events, "reason"));
      assertEquals(8, events.get(0).getLong("length"));
      assertEquals("b", events.get(0).getString("peerName"));
      for (RecordedEvent event : events) {
        assertTrue(event.getDuration().toMillis() >= 2 * THRESHOLD_MS - 5, event::toString);
        assertTrue(event.getDuration().compareTo(SOON) < 0, event::toString);
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldMakeNoGarbageWhileItTimesRequests() throws Exception {
    try (Pair pair = new Pair();
        Recording recording = new Recording()) {
      recording.enable(SLOW).withThreshold(Duration.ofMinutes(1));
      recording.start();
      RegisteredMemory from = pair.a.register(ByteBuffer.allocateDirect(8));
      RegisteredMemory to = pair.b.register(ByteBuffer.allocateDirect(8));
      AllocationCounter.ofThisThread()
          .expectFewerBytes(MESSAGES, 20, () -> exchange(pair, from, to));
    }
  }

  private static void exchange(Pair pair, RegisteredMemory from, RegisteredMemory to) {
    for (int i = 0; i < MESSAGES; i++) {
      long received = pair.ofB.irecv(to, 0, 8, 1);
      long sent = pair.ofA.isend(from, 0, 8, 1);
      while (pair.ofA.test(sent) == Channel.PENDING) {
        Thread.onSpinWait();
      }
      while (pair.ofB.test(received) == Channel.PENDING) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldRecordWhatHappensAfterARecordingBeganLate() throws Exception {
    assertEquals("recorded 1 slow, 1 DRAINING", run(LateRecording.class));
  }

  @Test
  @Tag("slow")
  void shouldWorkInARuntimeWithoutTheFlightRecorder() throws Exception {
    assertEquals(
        "sent without jdk.jfr",
        run(
            WithoutRecorder.class,
            "--limit-modules",
            "java.base,java.management,java.naming,java.xml,java.desktop,java.logging,jdk.unsupported,jdk.net"));
  }

  private static String run(Class<?> program, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of(
            "-Xmx128m",
            "-Dlog4j2.level=OFF",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream said = process.getInputStream()) {
      String output = new String(said.readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), output);
      String[] lines = output.strip().split("\\R");
      return lines[lines.length - 1];
    }
  }

  /** Begins to record when all classes have been in use. */
  static final class LateRecording {
    public static void main(String[] args) throws Exception {
      try (Pair pair = new Pair();
          Recording recording = new Recording()) {
        sendSlowly(pair);
        recording.enable(SLOW).withThreshold(Duration.ofMillis(THRESHOLD_MS));
        recording.enable(STATE);
        recording.start();
        sendSlowly(pair);
        pair.ofA.close();
        recording.stop();
        Path file = Files.createTempFile("late", ".jfr");
        List<RecordedEvent> slow = read(recording, file, SLOW);
        List<RecordedEvent> states = read(recording, file, STATE);
        states.removeIf(each -> !each.getString("to").equals("DRAINING"));
        Files.delete(file);
        System.out.println("recorded " + slow.size() + " slow, " + states.size() + " DRAINING");
      }
    }

    private LateRecording() {}
  }

  /** Has no module jdk.jfr. */
  static final class WithoutRecorder {
    public static void main(String[] args) throws Exception {
      boolean isThere = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
      try (Transport a = open("a", "127.44.3.1/24", "");
          Transport b = open("b", "127.44.3.2/24", "");
          Listener listener = b.listen(ConnectOptions.DEFAULT)) {
        Connection ofA = a.connect(listener.handle(), ConnectOptions.DEFAULT, SOON);
        Connection ofB = listener.acceptConnection(SOON);
        long received = ofB.irecv(ByteBuffer.allocateDirect(8), 1);
        long sent = ofA.isend(ByteBuffer.allocateDirect(8), 1);
        boolean isSent = ofA.await(sent, SOON) == 8 && ofB.await(received, SOON) == 8;
        System.out.println(
            (isSent ? "sent " : "not sent ") + (isThere ? "with" : "without") + " jdk.jfr");
      }
    }

    private WithoutRecorder() {}
  }
}
