// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.VerbsDevice;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Memory goes back to its owner only when the device has let go of it. An adapter flushes what is
 * outstanding in its own time, and its peer's writes into our memory never complete here at all: so
 * nothing but the end of the queue pair counts.
 *
 * <p>Also tests {@link io.meshtransport.transport.channel.ChannelTeardown}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GivingBackTest {
  private static final SimulatedCable CABLE = new SimulatedCable(5_000, 0, 1_000_000_000L);
  private static final int SIZE = 4_096;
  private static final Duration TIMELY = Duration.ofSeconds(30);

  private WatchedDevice sender;
  private WatchedDevice receiver;

  private SimulatedLine line() throws Exception {
    return new SimulatedLine(1, CABLE, SIZE, this::watched);
  }

  private VerbsDevice watched(String name, VerbsDevice device) {
    WatchedDevice watched = new WatchedDevice(device);
    if (name.equals(SimulatedLine.FROM)) {
      sender = watched;
    } else {
      receiver = watched;
    }
    return watched.device();
  }

  @Test
  void shouldDestroyTheQueuePairBeforeARequestIsToldThatItFailed() throws Exception {
    try (SimulatedLine line = line()) {
      RegisteredMemory source = line.from.register(ByteBuffer.allocateDirect(SIZE));
      RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(SIZE));
      long receive = line.in.irecv(sink, 0, SIZE, 1);
      long send = line.out.isend(source, 0, SIZE, 1);
      line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO);

      assertEquals(Channel.FAILED, end(line.out, send));
      assertEquals(List.of("toError", "close"), endOf(sender));
      assertEquals(Channel.FAILED, end(line.in, receive));
      assertEquals(List.of("toError", "close"), endOf(receiver));
    }
  }

  @Test
  void shouldDestroyTheQueuePairBeforeForgottenMemoryIsDeregistered() throws Exception {
    try (SimulatedLine line = line()) {
      RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(SIZE));
      line.in.detach(line.in.irecv(sink, 0, SIZE, 1));
      sink.close();
      long asked = line.in.irecv(line.to.register(ByteBuffer.allocateDirect(8)), 0, 8, 2);
      line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO);

      assertEquals(Channel.FAILED, end(line.in, asked));
      assertDestroyedBeforeDeregistration();
    }
  }

  @Test
  void shouldDestroyTheQueuePairBeforeMemoryOfAClosedChannelIsDeregistered() throws Exception {
    try (SimulatedLine line = line()) {
      RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(SIZE));
      line.in.detach(line.in.irecv(sink, 0, SIZE, 1));
      sink.close();

      line.in.close();
      assertDestroyedBeforeDeregistration();
    }
  }

  /** The user's region is the first to go; the channel's own comes after it. */
  private void assertDestroyedBeforeDeregistration() {
    List<WatchedDevice.Call> closed =
        receiver.calls().stream().filter(call -> call.method().equals("close")).toList();
    assertTrue(closed.get(0).of() instanceof QueuePair, closed.toString());
    assertTrue(closed.get(1).of() instanceof MemoryRegion, closed.toString());
  }

  @Test
  void shouldKeepMemoryRegisteredWhileTheDeviceCannotBeStopped() throws Exception {
    SimulatedLine line = line();
    RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(SIZE));
    long receive = line.in.irecv(sink, 0, SIZE, 1);
    receiver.refuse("close");
    line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO);

    assertEquals(Channel.FAILED, end(line.in, receive));
    assertEquals(1, line.in.failure().getSuppressed().length);
    sink.close();
    assertEquals(
        0,
        receiver.calls(MemoryRegion.class).stream()
            .filter(call -> call.method().equals("close"))
            .count());
    line.from.close();
    assertThrows(IllegalStateException.class, line.to::close);
  }

  /** As Soft-RoCE does while packets of the queue pair are queued at an interface that is down. */
  @Test
  @Tag("slow")
  void shouldFailRequestsWhileTheDriverStillDestroysTheirQueuePair() throws Exception {
    SimulatedLine line =
        new SimulatedLine(
            1,
            CABLE,
            SIZE,
            (name, device) -> {
              WatchedDevice watched = new WatchedDevice(device);
              if (name.equals(SimulatedLine.TO)) {
                receiver = watched;
                receiver.keepCallers();
              }
              return watched.device();
            });
    try {
      RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(SIZE));
      long receive = line.in.irecv(sink, 0, SIZE, 1);
      line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO);

      assertEquals(Channel.FAILED, end(line.in, receive));
      assertEquals(1, line.in.failure().getSuppressed().length);
      String beside = toldBeside(line.in.failure());
      assertTrue(beside.contains("has not taken queue pair"), beside);
      sink.close();
      // Neither waits for the driver, nor fails.
      line.in.close();
      line.to.close();
      assertEquals(0, closedRegions(receiver));
    } finally {
      receiver.release();
    }
    Awaitility.await().atMost(TIMELY).until(() -> receiver.isClosed());
    assertTrue(closedRegions(receiver) > 0);
    line.from.close();
  }

  /** The host of a NIC that is gone may wait until nothing uses it. */
  @Test
  void shouldLetGoOfANicThatIsGoneThoughNobodyTestsTheChannel() throws Exception {
    try (SimulatedLine line = line()) {
      MeshChannel channel = (MeshChannel) line.in;
      OpenNic nic = channel.core.polling.primary().nic();
      channel.nicGone(nic, "its RDMA device was removed");
      assertTrue(nic.retire(), "something uses the NIC");
      assertEquals(ChannelState.FAILED, channel.state());
      channel.close();
    }
  }

  private static long closedRegions(WatchedDevice device) {
    return device.calls(MemoryRegion.class).stream()
        .filter(call -> call.method().equals("close"))
        .count();
  }

  @Test
  void shouldGiveMemoryBackThoughTheDeviceRefusesTheStateOnTheWay() throws Exception {
    try (SimulatedLine line = line()) {
      RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(SIZE));
      long receive = line.in.irecv(sink, 0, SIZE, 1);
      receiver.refuse("toError");
      line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO);

      assertEquals(Channel.FAILED, end(line.in, receive));
      assertEquals("toError failed: errno 5 (EIO).", toldBeside(line.in.failure()));
      assertEquals(List.of("toError", "close"), endOf(receiver));
      sink.close();
      assertDestroyedBeforeDeregistration();
    }
  }

  private static String toldBeside(TransportException failure) {
    assertEquals(1, failure.getSuppressed().length);
    return failure.getSuppressed()[0].getMessage();
  }

  @Test
  void shouldBreakAChannelOnWhichNobodyCanWait() throws Exception {
    try (SimulatedLine line = line()) {
      RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(SIZE));
      long receive = line.in.irecv(sink, 0, SIZE, 1);
      receiver.refuse("await");

      assertEquals(Channel.FAILED, line.in.await(receive, Duration.ofSeconds(30)));
      TransportException failure = line.in.failure();
      assertEquals(TransportException.Reason.DEVICE, failure.reason());
      assertTrue(failure.getMessage().contains("await failed: errno 5"), failure.getMessage());
    }
  }

  @Test
  void shouldCloseTheLineOfAConnectThatCannotBegin() throws Exception {
    try (SimulatedLine line = line();
        Listener listener = line.to.listen()) {
      int before = closedQueuePairs(sender);
      // An errno where none is expected: a mistake, as far as the connector knows.
      sender.refuse("number");
      TransportException failure =
          assertThrows(
              TransportException.class,
              () -> line.from.connect(listener.handle(), Duration.ofSeconds(30)));
      sender.refuse("");

      assertEquals(TransportException.Reason.DEVICE, failure.reason(), failure.getMessage());
      assertEquals(before + 1, closedQueuePairs(sender));
    }
  }

  private static int closedQueuePairs(WatchedDevice device) {
    return (int)
        device.calls(QueuePair.class).stream()
            .filter(call -> call.method().equals("close"))
            .count();
  }

  private static long end(Channel channel, long request) {
    long outcome = channel.test(request);
    while (outcome == Channel.PENDING) {
      outcome = channel.test(request);
    }
    return outcome;
  }

  /** The last two things that were done to the device's queue pair. */
  private static List<String> endOf(WatchedDevice device) {
    List<String> calls =
        device.calls(QueuePair.class).stream().map(WatchedDevice.Call::method).toList();
    return calls.subList(calls.size() - 2, calls.size());
  }
}
