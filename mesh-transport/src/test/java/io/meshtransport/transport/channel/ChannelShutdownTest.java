// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * In which order a channel ends, over a wire that only records. Every reason here is PEER_CLOSED:
 * with others a channel reads what its device reports, for which {@code DeviceEventsTest} has one.
 */
class ChannelShutdownTest {
  private static final TransportException WHY =
      new TransportException(Reason.PEER_CLOSED, "the peer has closed");

  private static final TransportException OTHER =
      new TransportException(Reason.PEER_CLOSED, "closed for another reason");

  private final List<String> calls = new ArrayList<>();
  private final RecordingWire wire = new RecordingWire();
  private final ChannelLifeCycle life = CoreStatusTest.ready();
  private final CoreStatus status = new CoreStatus(life, new WaitingThreads(new ReentrantLock()));
  private final Requests requests = new Requests(4);
  private final Attendance attendance = new Attendance(CoreStatusTest.ROUTE, requests);
  private final AttendanceTest.RecordingAttendant attendant =
      new AttendanceTest.RecordingAttendant(true);
  private final ChannelShutdown shutdown = shutdown();

  private ChannelShutdown shutdown() {
    CompletionPolling polling =
        new CompletionPolling(
            CoreStatusTest.ROUTE, null, status, attendance, requests, new Liveness(1));
    ChannelShutdown made =
        new ChannelShutdown(CoreStatusTest.ROUTE, life, status, attendance, requests, polling);
    made.attach(wire, wire);
    attendance.begin(attendant);
    return made;
  }

  private int begin() {
    return requests.begin(0, SendChannel.NO_DEADLINE);
  }

  @Test
  void shouldStopTheEndpointsBeforeAnyRequestFails() {
    int slot = begin();
    wire.onStop = () -> assertEquals(Channel.PENDING, requests.outcome(slot));
    shutdown.breakWith(WHY);

    assertEquals(List.of("stop", "stopped"), calls);
    assertEquals(Channel.FAILED, requests.outcome(slot));
    assertSame(WHY, status.failure());
    assertEquals(ChannelState.FAILED, status.state());
    assertEquals(List.of("ended 0", "over PEER_CLOSED"), attendant.heard);
    assertEquals(1, status.progressCount());
  }

  @Test
  void shouldBreakOnce() {
    shutdown.breakWith(WHY);
    shutdown.breakWith(OTHER);
    assertSame(WHY, status.failure());
    assertEquals(List.of("stop", "stopped"), calls);
  }

  @Test
  void shouldSendThePeerTheReasonBeforeItBreaks() {
    int slot = begin();
    shutdown.failWith(WHY, Goodbye.CLOSED);
    assertEquals(List.of("forEach", "goodbye"), calls);
    assertEquals(Channel.PENDING, requests.outcome(slot));
    assertTrue(shutdown.isFailing());
    assertFalse(status.mayBegin());
    assertEquals(List.of("deferred", "begun"), attendant.heard);

    shutdown.goodbyeDelivered();
    assertEquals(List.of("forEach", "goodbye", "stop", "stopped"), calls);
    assertEquals(Channel.FAILED, requests.outcome(slot));
    assertSame(WHY, status.failure());
  }

  @Test
  void shouldBreakAtOnceIfThePeerCannotHaveTheReason() {
    wire.isGoodbyeSent = false;
    shutdown.failWith(WHY, Goodbye.CLOSED);
    assertEquals(List.of("forEach", "goodbye", "stop", "stopped"), calls);
    assertEquals(ChannelState.FAILED, status.state());
  }

  @Test
  void shouldWaitABoundedTimeForThePeerToHaveTheReason() {
    long beforeNs = System.nanoTime();
    shutdown.failWith(WHY, Goodbye.CLOSED);
    shutdown.checkClock(beforeNs);
    assertEquals(ChannelState.READY, status.state());
    assertTrue(shutdown.untilBrokenNs(beforeNs) >= 100_000_000);

    long boundNs = System.nanoTime() + 100_000_000;
    assertEquals(0, shutdown.untilBrokenNs(boundNs));
    shutdown.checkClock(boundNs);
    assertEquals(ChannelState.FAILED, status.state());
  }

  @Test
  void shouldBreakForTheFirstReasonWhateverComesMeanwhile() {
    shutdown.failWith(WHY, Goodbye.CLOSED);
    shutdown.failWith(OTHER, Goodbye.CLOSED);
    shutdown.breakWith(OTHER);
    assertSame(WHY, status.failure());
    assertEquals(List.of("forEach", "goodbye", "stop", "stopped"), calls);
  }

  @Test
  void shouldCloseOnceGoodbyeIsAcknowledged() {
    int slot = begin();
    assertTrue(shutdown.beginClose());
    assertEquals(List.of("closing", "forEach", "goodbye"), calls);
    assertEquals(ChannelState.DRAINING, status.state());
    assertTrue(shutdown.isClosing());

    shutdown.goodbyeDelivered();
    assertFalse(shutdown.isClosing());

    shutdown.finishClose();
    assertEquals(List.of("closing", "forEach", "goodbye", "stop", "forEach"), calls);
    assertFalse(requests.isPending(slot));
    assertEquals(ChannelState.CLOSED, status.state());
  }

  @Test
  void shouldLetOneThreadAloneClose() {
    assertTrue(shutdown.beginClose());
    assertFalse(shutdown.beginClose());
    shutdown.finishClose();
    assertFalse(shutdown.beginClose());
  }

  @Test
  void shouldNotBreakWhileItIsBeingClosed() {
    shutdown.beginClose();
    shutdown.breakWith(WHY);
    assertEquals(ChannelState.DRAINING, status.state());
    assertFalse(shutdown.isClosing(), "nothing is left to wait for");
  }

  @Test
  void shouldSendNoSecondGoodbyeIfItIsClosedWhileItFails() {
    shutdown.failWith(WHY, Goodbye.CLOSED);
    assertTrue(shutdown.beginClose());
    assertEquals(List.of("forEach", "goodbye", "closing"), calls);
    assertTrue(shutdown.isClosing());
    assertFalse(shutdown.isFailing(), "no deadline counts while it drains");
  }

  @Test
  void shouldCloseAChannelThatHasFailedWithoutStoppingItAgain() {
    shutdown.breakWith(WHY);
    assertTrue(shutdown.beginClose());
    assertFalse(shutdown.isClosing());
    shutdown.finishClose();
    assertEquals(List.of("stop", "stopped", "forEach"), calls);
    assertEquals(ChannelState.CLOSED, status.state());
  }

  /** Both sides of a channel's parts, which does nothing but record. */
  private final class RecordingWire implements EndpointEvents, ChannelEndpoints {
    private boolean isGoodbyeSent = true;
    private Runnable onStop = () -> {};

    @Override
    public void stop(Exception context) {
      calls.add("stop");
      onStop.run();
    }

    @Override
    public void stopped() {
      calls.add("stopped");
    }

    @Override
    public boolean sendGoodbye(Goodbye goodbye) {
      calls.add("goodbye");
      return isGoodbyeSent;
    }

    @Override
    public void closing(TransportException why) {
      calls.add("closing");
    }

    @Override
    public void forEach(Consumer<VerbsEndpoint> action) {
      calls.add("forEach");
    }

    @Override
    public boolean needsProgress() {
      return false;
    }

    @Override
    public void completed(
        VerbsEndpoint from, int kind, int index, WorkCompletions batch, int position) {
      throw new AssertionError();
    }

    @Override
    public void batchCompleted(VerbsEndpoint from) {
      throw new AssertionError();
    }

    @Override
    public TransportException failure(
        int kind, int slot, CompletionStatus outcome, TransportException why) {
      throw new AssertionError();
    }

    @Override
    public void queried(int slot) {
      throw new AssertionError();
    }

    @Override
    public void deadlinePassed(int slot) {
      throw new AssertionError();
    }

    @Override
    public void lengths(int slot, long[] into) {
      throw new AssertionError();
    }

    @Override
    public int pollOthers() {
      throw new AssertionError();
    }

    @Override
    public void requestFailed(VerbsEndpoint from, int kind, TransportException why) {
      throw new AssertionError();
    }

    @Override
    public void endpointFailed(VerbsEndpoint from, TransportException why) {
      throw new AssertionError();
    }

    @Override
    public void keepaliveAnswered(VerbsEndpoint from) {
      throw new AssertionError();
    }

    @Override
    public void sendKeepalives() {
      throw new AssertionError();
    }

    @Override
    public void failWithoutCarrier(long nowNs) {
      throw new AssertionError();
    }

    @Override
    public void cableCut(int interfaceIndex, TransportException why) {
      throw new AssertionError();
    }

    @Override
    public VerbsEndpoint endpointToParkOn() {
      throw new AssertionError();
    }

    @Override
    public long longestParkNs(long silenceNs) {
      throw new AssertionError();
    }
  }
}
