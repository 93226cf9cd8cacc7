// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.device.DeviceEvents;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.AsyncEvent.Type;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a device reports of itself reaches whoever asks why a channel failed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceEventsTest {
  private static final int PORT = 1;
  private static final int QUEUE_PAIR = 0x11;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int SIZE = 64;

  private final Queue<AsyncEvent> reported = new ArrayDeque<>();
  private final DeviceEvents events =
      new DeviceEvents("mlx5_1 (eth1)", PORT, () -> Optional.ofNullable(reported.poll()));

  @Test
  void shouldSayNothingWhereNothingHappened() {
    events.poll(0);
    assertEquals("", events.since(0, QUEUE_PAIR));
  }

  @Test
  void shouldTellWhatWasReportedOldestFirst() {
    reported.add(new AsyncEvent(Type.PORT_ERR, PORT));
    events.poll(0);
    reported.add(new AsyncEvent(Type.GID_CHANGE, PORT));
    events.poll(SECOND * 3 / 2);
    assertEquals(
        "The device reported: the port went down (PORT_ERR, read 1.5 s ago),"
            + " the port's addresses changed (GID_CHANGE).",
        events.since(SECOND * 3 / 2, QUEUE_PAIR));
  }

  @Test
  void shouldForgetWhatIsLongOver() {
    reported.add(new AsyncEvent(Type.PORT_ERR, PORT));
    events.poll(0);
    assertEquals("", events.since(60 * SECOND, QUEUE_PAIR));
  }

  @Test
  void shouldLeaveOutOtherPortsAndOtherQueuePairs() {
    reported.add(new AsyncEvent(Type.PORT_ERR, 2));
    reported.add(new AsyncEvent(Type.QP_FATAL, QUEUE_PAIR + 1));
    events.poll(0);
    assertEquals("", events.since(0, QUEUE_PAIR));
    assertEquals(
        "The device reported: the connection broke (QP_FATAL).", events.since(0, QUEUE_PAIR + 1));
  }

  @Test
  void shouldKnowWhichQueuePairRefusedAccess() {
    reported.add(new AsyncEvent(Type.QP_ACCESS_ERR, QUEUE_PAIR));
    reported.add(new AsyncEvent(Type.QP_FATAL, QUEUE_PAIR + 1));
    events.poll(0);
    assertTrue(events.hasRefused(SECOND, QUEUE_PAIR));
    assertFalse(events.hasRefused(SECOND, QUEUE_PAIR + 1));
    assertFalse(events.hasRefused(60 * SECOND, QUEUE_PAIR), "it is long over");
  }

  @Test
  void shouldLeaveOutWhatBreaksNothing() {
    reported.add(new AsyncEvent(Type.COMM_EST, QUEUE_PAIR));
    reported.add(new AsyncEvent(Type.OTHER, QUEUE_PAIR));
    events.poll(0);
    assertEquals("", events.since(0, QUEUE_PAIR));
  }

  @Test
  void shouldKeepTheLatestOfVeryMany() {
    for (int i = 0; i < 40; i++) {
      reported.add(new AsyncEvent(Type.PORT_ACTIVE, PORT));
    }
    reported.add(new AsyncEvent(Type.PORT_ERR, PORT));
    events.poll(0);
    String text = events.since(0, QUEUE_PAIR);
    assertTrue(text.endsWith("(PORT_ACTIVE), the port went down (PORT_ERR)."), text);
    assertEquals(15, text.split("PORT_ACTIVE", -1).length - 1);
  }

  @Test
  void shouldGiveBackTheCallerOfADeviceThatNeverStops() {
    DeviceEvents endless =
        new DeviceEvents("mlx5_1", PORT, () -> Optional.of(new AsyncEvent(Type.PORT_ACTIVE, PORT)));
    endless.poll(0);
    assertFalse(endless.since(0, QUEUE_PAIR).isEmpty());
  }

  @Test
  void shouldGoOnWithoutEventsThatCannotBeRead() {
    int[] asked = {0};
    DeviceEvents broken =
        new DeviceEvents(
            "mlx5_1",
            PORT,
            () -> {
              asked[0]++;
              throw new VerbsException(Errno.EBADF, "the device is closed");
            });
    broken.poll(0);
    broken.poll(0);
    assertEquals(1, asked[0]);
    assertEquals("", broken.since(0, QUEUE_PAIR));
  }

  @Test
  void shouldPutTheEventIntoTheFailureOfAChannel() throws Exception {
    try (Pair pair = new Pair()) {
      long send = pair.send();
      pair.device.report(Type.PORT_ERR, PORT);
      pair.line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO);

      assertEquals(Channel.FAILED, pair.end(send));
      assertEquals(Reason.PEER_GONE, pair.line.out.failure().reason());
      String text = pair.line.out.failure().getMessage();
      assertTrue(text.contains(" The device reported: the port went down (PORT_ERR"), text);
      assertTrue(
          text.matches(
              ".*: the connection to the peer is lost: the peer's host was silent .* \\(.*RETRY_EXC_ERR\\).*"),
          text);
    }
  }

  @Test
  void shouldBreakAChannelWhoseDeviceHasFailedThoughNothingCompletes() throws Exception {
    try (Pair pair = new Pair()) {
      // No receive is posted for it, so it waits and nothing at all happens on the line.
      long send = pair.send();
      pair.device.report(Type.DEVICE_FATAL, 0);

      assertEquals(Channel.FAILED, pair.end(send));
      assertEquals(Reason.DEVICE, pair.line.out.failure().reason());
      String text = pair.line.out.failure().getMessage();
      assertTrue(text.contains("the device has failed"), text);
    }
  }

  /** A line whose sender's device says what it is told to. */
  private static final class Pair implements AutoCloseable {
    private WatchedDevice device;
    private final SimulatedLine line;
    private final RegisteredMemory source;

    Pair() throws Exception {
      line =
          new SimulatedLine(
              1, new SimulatedCable(5_000, 0, 1_000_000_000L), 1 << 20, this::watchSender);
      source = line.from.register(ByteBuffer.allocateDirect(SIZE));
    }

    private VerbsDevice watchSender(String name, VerbsDevice real) {
      if (!name.equals(SimulatedLine.FROM)) {
        return real;
      }
      device = new WatchedDevice(real);
      return device.device();
    }

    long send() {
      return line.out.isend(source, 0, SIZE, 1);
    }

    long end(long request) {
      long outcome = line.out.test(request);
      while (outcome == Channel.PENDING) {
        outcome = line.out.test(request);
      }
      return outcome;
    }

    @Override
    public void close() {
      line.close();
    }
  }
}
