package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.VerbsDevice;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Memory goes back to its owner only when the device has let go of it. An adapter flushes what is
 * outstanding in its own time, and its peer's writes into our memory never complete here at all: so
 * nothing but the end of the queue pair counts.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GivingBackTest {
  private static final SimulatedCable CABLE = new SimulatedCable(5_000, 0, 1_000_000_000L);
  private static final int SIZE = 4_096;

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
      line.in.forget(line.in.irecv(sink, 0, SIZE, 1));
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
      line.in.forget(line.in.irecv(sink, 0, SIZE, 1));
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
