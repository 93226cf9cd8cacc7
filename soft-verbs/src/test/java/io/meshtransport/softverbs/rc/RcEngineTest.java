// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static io.meshtransport.softverbs.rc.ScriptedQueuePair.RECEIVE_PSN;
import static io.meshtransport.softverbs.rc.ScriptedQueuePair.SEND_PSN;
import static io.meshtransport.softverbs.rc.ScriptedQueuePair.frame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendOpcode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** States, stream and timers of one queue pair; time passes when the test says so. */
class RcEngineTest {
  private static final long BOUND_NS = ReadyToSendAttributes.SOFT_SILENCE_NS;
  private static final long INTERVAL_NS = BOUND_NS / ResponseTimeout.CHECKS;

  private ScriptedQueuePair pair;

  @BeforeEach
  void connect() throws Exception {
    pair = ScriptedQueuePair.connected(1);
  }

  private CompletableFuture<Void> connected() {
    return pair.queuePair.connected().toCompletableFuture();
  }

  /** What the queue pair's timers return at that time. */
  private long timers(long nowNs) {
    pair.network.nowNs = nowNs;
    return pair.engine().onTimer(nowNs);
  }

  // Connecting.

  @Test
  void shouldBeConnectedWhenItsStreamIsUp() {
    CompletableFuture<Void> connected = connected();
    assertFalse(connected.isDone());
    pair.stream.listener.onStreamUp();
    assertTrue(connected.isDone());
    assertFalse(connected.isCompletedExceptionally());
    assertEquals("scripted", pair.queuePair.connectionText());
  }

  @Test
  void shouldReportThatItIsResetBeforeItIsConnected() throws Exception {
    CompletableFuture<Void> connected = connected();
    pair.queuePair.toReset();
    ExecutionException failure = assertThrows(ExecutionException.class, connected::get);
    assertTrue(failure.getMessage().contains("ended before it was connected"), "" + failure);
    assertFalse(connected().isDone(), "the next connect has a future of its own");
    assertEquals("", pair.queuePair.connectionText());
    assertEquals(true, pair.stream.abandonedWithReset);
  }

  @Test
  void shouldReportThatItFailsBeforeItIsConnected() throws Exception {
    CompletableFuture<Void> connected = connected();
    pair.queuePair.toError();
    assertTrue(connected.isCompletedExceptionally());
    assertTrue(pair.stream.isFinished);
  }

  @Test
  void shouldStayConnectedWhenItEnds() throws Exception {
    CompletableFuture<Void> connected = connected();
    pair.stream.listener.onStreamUp();
    pair.queuePair.close();
    assertFalse(connected.isCompletedExceptionally());
    assertEquals(false, pair.stream.abandonedWithReset);
  }

  @Test
  void shouldReportTheFirstRequestThatArrivesBeforeItMaySend() throws Exception {
    pair = new ScriptedQueuePair();
    pair.toReadyToReceive(1);
    pair.stream.arrive(frame(FrameType.PROBE, 0));
    assertEquals(List.of(), pair.events());
    pair.stream.arrive(pair.request(FrameType.WRITE, RECEIVE_PSN, 0, 0, 0));
    pair.stream.arrive(pair.request(FrameType.WRITE, RECEIVE_PSN + 1, 0, 0, 0));
    assertEquals(List.of(AsyncEvent.Type.COMM_EST), pair.events());
  }

  @Test
  void shouldReadItsStreamForACallerThatPolls() {
    pair.engine().readNow(9);
    assertEquals(9, pair.stream.lastRound);
  }

  // The peer is reset.

  @Test
  void shouldStartOverWithAPeerThatWasResetBeforeItSentAnything() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.fetchTypes();
    pair.stream.listener.onPeerReset();
    assertEquals(1, pair.stream.startsOver);
    assertEquals(SEND_PSN, pair.stream.fetch().header().sequence);
  }

  @Test
  void shouldStartOverBeforeItMaySend() throws Exception {
    pair = new ScriptedQueuePair();
    pair.toReadyToReceive(1);
    pair.stream.listener.onPeerReset();
    assertEquals(1, pair.stream.startsOver);
  }

  @Test
  void shouldNotStartOverOnceThePeerHasSentSomething() {
    pair.stream.arrive(frame(FrameType.ACK, SEND_PSN - 1));
    pair.stream.listener.onPeerReset();
    assertEquals(0, pair.stream.startsOver);
  }

  @Test
  void shouldNotStartOverWhenItHasFailed() throws Exception {
    pair.queuePair.toError();
    pair.stream.listener.onPeerReset();
    assertEquals(0, pair.stream.startsOver);
  }

  // The stream is lost.

  @Test
  void shouldRaiseAnEventForALostStreamWithoutRequests() throws Exception {
    pair.stream.listener.onStreamLost(PeerLoss.RESET, "why");
    pair.stream.listener.onStreamLost(PeerLoss.RESET, "why");
    assertEquals(List.of(AsyncEvent.Type.QP_FATAL), pair.events());
  }

  @Test
  void shouldReportALostStreamWithARequestInsteadOfAnEvent() throws Exception {
    pair.post(1, SendOpcode.SEND, 8);
    pair.stream.listener.onStreamLost(PeerLoss.RESET, "why");
    assertEquals(List.of(), pair.events());
    assertEquals(List.of("1 " + CompletionStatus.RETRY_EXC_ERR), pair.outcomes(pair.sends));
  }

  @Test
  void shouldFlushWhatIsPostedToAFailedQueuePair() throws Exception {
    pair.queuePair.toError();
    pair.post(1, SendOpcode.SEND, 8);
    pair.receive(2, 0, 8);
    assertEquals(List.of("1 " + CompletionStatus.WR_FLUSH_ERR), pair.outcomes(pair.sends));
    assertEquals(List.of("2 " + CompletionStatus.WR_FLUSH_ERR), pair.outcomes(pair.receives));
    assertEquals(0, pair.stream.flushes);
  }

  @Test
  void shouldNotTakeTheReasonOfALossIntoItsNextLife() throws Exception {
    pair.stream.listener.onStreamLost(PeerLoss.RESET, "why");
    pair.queuePair.toReset();
    pair.connect(1);
    pair.post(1, SendOpcode.SEND, 8);
    pair.queuePair.toError();
    assertEquals(0, pair.poll(pair.sends).get(0).vendorError());
  }

  // Turns.

  @Test
  void shouldSendRequestsAndResponsesInTurns() throws Exception {
    pair = ScriptedQueuePair.connected(4);
    for (int i = 0; i < 3; i++) {
      pair.stream.arrive(pair.request(FrameType.READ_REQUEST, RECEIVE_PSN + i, 0, 0, 8));
      pair.post(i, SendOpcode.SEND, 8);
    }
    FrameType response = FrameType.READ_RESPONSE;
    FrameType request = FrameType.SEND;
    assertEquals(
        List.of(response, request, response, request, response, request), pair.fetchTypes());
  }

  @Test
  void shouldHaveMoreToSendWhileRequestsWait() {
    assertEquals(StreamListener.Pending.NOTHING, pair.stream.listener.pending());
    pair.post(1, SendOpcode.SEND, 8);
    assertEquals(StreamListener.Pending.MORE, pair.stream.listener.pending());
    pair.fetchTypes();
    assertEquals(StreamListener.Pending.NOTHING, pair.stream.listener.pending());
  }

  @Test
  void shouldRefuseFramesThatAreForTheStream() {
    assertThrows(IllegalStateException.class, () -> pair.stream.arrive(frame(FrameType.CLOSE, 0)));
  }

  // The peer is silent.

  @Test
  void shouldArmATimerForTheFirstRequestOnly() {
    pair.network.nowNs = 5;
    pair.post(1, SendOpcode.SEND, 8);
    assertEquals(List.of(5 + INTERVAL_NS), pair.network.armed);
    pair.network.nowNs = 7;
    pair.post(2, SendOpcode.SEND, 8);
    assertEquals(5 + INTERVAL_NS, timers(8));
  }

  @Test
  void shouldHaveNoTimerWithoutRequests() {
    assertEquals(DeviceTimers.NEVER, timers(1));
    pair.post(1, SendOpcode.SEND, 8);
    pair.fetchTypes();
    pair.stream.arrive(frame(FrameType.ACK, SEND_PSN));
    assertEquals(DeviceTimers.NEVER, timers(2));
  }

  @Test
  void shouldProbeASilentPeerUntilTheBoundHasPassed() throws Exception {
    pair.network.nowNs = 5;
    pair.post(1, SendOpcode.SEND, 8);
    pair.stream.loss = PeerLoss.SILENT.vendorError(BOUND_NS);
    for (int check = 1; check < ResponseTimeout.CHECKS; check++) {
      long nowNs = 5 + check * INTERVAL_NS;
      assertEquals(nowNs, timers(nowNs - 1));
      assertEquals(nowNs + INTERVAL_NS, timers(nowNs));
      assertEquals(check, pair.stream.probes);
    }
    assertEquals(DeviceTimers.NEVER, timers(5 + BOUND_NS));
    ScriptedQueuePair.Done done = pair.poll(pair.sends).get(0);
    assertEquals(CompletionStatus.RETRY_EXC_ERR, done.status());
    assertEquals(PeerLoss.SILENT.vendorError(BOUND_NS), done.vendorError());
    assertTrue(pair.device.vendorErrorText(done.vendorError()).contains(" 2000 ms "));
  }

  /** All checks until just after the bound, from a check at 0. */
  private void passBound() {
    for (int check = 1; check <= ResponseTimeout.CHECKS; check++) {
      timers(check * INTERVAL_NS);
    }
  }

  @Test
  void shouldWaitOnForAPeerThatMayBeAlive() {
    pair.post(1, SendOpcode.SEND, 8);
    passBound();
    assertEquals(List.of(), pair.outcomes(pair.sends));
  }

  @Test
  void shouldDateTheSilenceByWhatTheKernelHasSeen() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.stream.loss = 1;
    timers(INTERVAL_NS);
    pair.stream.signOfLifeNs = 0;
    timers(2 * INTERVAL_NS);
    pair.stream.signOfLifeNs = FrameStream.NO_SIGN_OF_LIFE;
    for (int check = 3; check < 2 + ResponseTimeout.CHECKS; check++) {
      timers(check * INTERVAL_NS);
    }
    assertEquals(List.of(), pair.outcomes(pair.sends));
    timers((2 + ResponseTimeout.CHECKS) * INTERVAL_NS);
    assertEquals(List.of("1 " + CompletionStatus.RETRY_EXC_ERR), pair.outcomes(pair.sends));
  }

  @Test
  void shouldBeginANewSilenceWithEveryFrame() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.stream.listener.onPeerAlive(100);
    assertEquals(100 + INTERVAL_NS, timers(101));
  }

  @Test
  void shouldSayHowLongAgoSomethingCame() throws Exception {
    assertEquals(QueuePair.SILENCE_UNKNOWN, pair.queuePair.silenceNs());
    pair.stream.listener.onPeerAlive(100);
    pair.network.nowNs = 350;
    assertEquals(250, pair.queuePair.silenceNs());
    pair.stream.listener.onPeerAlive(360);
    assertEquals(0, pair.queuePair.silenceNs(), "the clock was read before");
    pair.queuePair.close();
    assertEquals(QueuePair.SILENCE_UNKNOWN, pair.queuePair.silenceNs());
  }

  @Test
  void shouldBeginANewSilenceWithTheFirstRequest() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.fetchTypes();
    pair.stream.arrive(frame(FrameType.ACK, SEND_PSN));
    pair.network.nowNs = 10 * BOUND_NS;
    pair.post(2, SendOpcode.SEND, 8);
    assertEquals(10 * BOUND_NS + INTERVAL_NS, timers(10 * BOUND_NS + 1));
  }

  // The peer has no receive.

  private void sendLater() {
    FrameHeader header = frame(FrameType.RNR_NAK, SEND_PSN);
    header.code = 31;
    pair.stream.arrive(header);
  }

  @Test
  void shouldWaitForAReceiveAsLongAsThePeerSays() {
    long waitNs = RnrTimer.waitNs(31);
    pair.network.nowNs = 100;
    pair.post(1, SendOpcode.SEND, 8);
    pair.fetchTypes();
    sendLater();
    // The clock passes the check that was due before.
    assertEquals(100 + waitNs, timers(99 + waitNs));
    assertNull(pair.stream.fetch());
    assertEquals(1, pair.stream.flushes);
    assertEquals(0, pair.stream.probes);
    assertEquals(100 + waitNs + INTERVAL_NS, timers(100 + waitNs));
    assertEquals(2, pair.stream.flushes);
    assertEquals(List.of(FrameType.SEND), pair.fetchTypes());
    assertEquals(0, pair.stream.probes);
  }

  @Test
  void shouldNotCountTheWaitForAReceiveAsSilence() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.fetchTypes();
    sendLater();
    pair.stream.listener.onPeerAlive(0);
    long lateNs = RnrTimer.waitNs(31) + 10;
    assertEquals(lateNs + INTERVAL_NS, timers(lateNs));
    assertEquals(0, pair.stream.probes);
  }

  @Test
  void shouldArmATimerForTheEndOfTheWait() {
    pair.post(1, SendOpcode.SEND, 8);
    pair.fetchTypes();
    FrameHeader soon = frame(FrameType.RNR_NAK, SEND_PSN);
    soon.code = 1;
    pair.stream.arrive(soon);
    assertEquals(RnrTimer.waitNs(1), pair.device.timers().earliestNs());
  }
}
