// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static io.meshtransport.softverbs.rc.ScriptedQueuePair.RECEIVE_PSN;
import static io.meshtransport.softverbs.rc.ScriptedQueuePair.frame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a completion queue reports, what it does when there is nothing, and when it is full. */
class SoftCompletionQueueTest {
  private ScriptedQueuePair pair;
  private ScriptedNetwork network;
  private SoftCompletionChannel channel;

  @BeforeEach
  void connect() throws Exception {
    pair = ScriptedQueuePair.connected(1);
    network = pair.network;
  }

  /** Every call has released the device's lock. */
  @AfterEach
  void expectUnlocked() {
    assertFalse(pair.device.lock().isLocked());
  }

  /** Posts a receive, and its message arrives. */
  private void receive(int request, int flags) {
    pair.receive(request, 0, 8);
    FrameHeader send = frame(FrameType.SEND, RECEIVE_PSN + request);
    send.flags = flags;
    pair.device.locked(() -> pair.stream.arrive(send));
  }

  private int poll(SoftCompletionQueue queue) {
    return queue.poll(queue.newCompletions(1));
  }

  // Order.

  @Test
  void shouldKeepTheOrderWhereverItGrows() {
    WorkCompletions one = pair.receives.newCompletions(1);
    List<Long> polled = new ArrayList<>();
    int added = 0;
    for (int i = 0; i < 3; i++) {
      receive(added++, 0);
    }
    for (int round = 0; round < 20; round++) {
      assertEquals(1, pair.receives.poll(one));
      polled.add(one.id(0));
      receive(added++, 0);
      receive(added++, 0);
    }
    while (pair.receives.poll(one) == 1) {
      polled.add(one.id(0));
    }
    assertEquals(added, polled.size());
    for (int i = 0; i < added; i++) {
      assertEquals(i, polled.get(i));
    }
  }

  @Test
  void shouldKeepTheOrderWhenItGrowsWhileItsOldestIsNotTheFirst() {
    receive(0, 0);
    assertEquals(List.of("0 SUCCESS"), pair.outcomes(pair.receives));
    for (int i = 1; i <= 3; i++) {
      receive(i, 0);
    }
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.outcomes(pair.receives));
  }

  @Test
  void shouldReportItsDepth() {
    assertEquals(4 * ScriptedQueuePair.DEPTH, pair.receives.depth());
  }

  // What a poll does that finds nothing.

  @Test
  void shouldDriveOnceInSoManyPollsAndReadItsOwnStreamsInBetween() {
    network.pollsPerDrive = 3;
    List<Integer> drives = new ArrayList<>();
    List<Integer> reads = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      assertEquals(0, poll(pair.receives));
      drives.add(network.drives);
      reads.add(pair.stream.lastRound);
      assertEquals(i + 1, network.polls, "the network is told of each");
    }
    assertEquals(List.of(1, 1, 1, 2, 2, 2, 3), drives);
    assertEquals(List.of(0, 1, 2, 2, 3, 4, 4), reads);
    assertEquals(7, network.flushesOfDeferred);
  }

  @Test
  void shouldReadItsOwnStreamsWhereAnotherThreadDrives() {
    network.isDriven = false;
    network.pollsPerDrive = 1;
    poll(pair.receives);
    assertEquals(1, network.drives);
    assertEquals(1, pair.stream.lastRound);
  }

  @Test
  void shouldDriveWhenThatIsLongOverdue() {
    poll(pair.receives);
    poll(pair.receives);
    assertEquals(1, network.drives);
    network.isLongUndriven = true;
    poll(pair.receives);
    poll(pair.receives);
    assertEquals(2, network.drives);
  }

  @Test
  void shouldDoNothingElseWhereThereIsSomethingToReport() {
    receive(0, 0);
    assertEquals(1, poll(pair.receives));
    assertEquals(0, network.drives + network.polls + network.flushesOfDeferred);
  }

  @Test
  void shouldReadNoMoreThanFourStreamsItself() throws Exception {
    List<ScriptedStream> streams = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      streams.add(connectAnother());
    }
    // Four queue pairs: the first drives, the others read all streams.
    poll(pair.receives);
    poll(pair.receives);
    assertEquals(1, network.drives);
    assertEquals(1, streams.get(2).lastRound);
    // The fifth: every poll drives.
    streams.add(connectAnother());
    poll(pair.receives);
    network.isDriven = false;
    for (int i = 0; i < 3; i++) {
      poll(pair.receives);
    }
    assertEquals(4, network.drives);
    assertTrue(streams.get(2).lastRound > 1);
    assertEquals(0, streams.get(3).lastRound);
  }

  private ScriptedStream connectAnother() throws Exception {
    pair.domain.createQueuePair(pair.queuePair.capabilities(), pair.sends, pair.receives);
    RcEngine engine = pair.device.queuePairs().engine(pair.device.queuePairs().size() - 1);
    StreamAddress ends =
        new StreamAddress(ScriptedNetwork.GID, 1, engine.number(), ScriptedQueuePair.PEER, 2, 3);
    engine.connect(ends, null);
    return network.streams.get(network.streams.size() - 1);
  }

  // Events.

  /** A completion queue that raises events. */
  private SoftCompletionQueue openWithChannel(int depth) throws Exception {
    channel = (SoftCompletionChannel) pair.device.createCompletionChannel();
    return (SoftCompletionQueue) pair.device.createCompletionQueue(depth, channel);
  }

  private void addReceive(SoftCompletionQueue queue, int flags) {
    ReceiveQueue requests = new ReceiveQueue(8, 1);
    ReceiveRequest request = new ReceiveRequest(1);
    FrameHeader last = frame(FrameType.SEND, 0);
    last.flags = flags;
    queue.addReceive(1, requests, 0, request, CompletionStatus.SUCCESS, last, 0);
  }

  private void addSend(SoftCompletionQueue queue, CompletionStatus status) {
    SendRequest request = new SendRequest(1);
    request.begin(1, SendOpcode.SEND, 0);
    queue.addSend(1, new SendQueue(8, 1, 0), 0, request, status, 0);
  }

  private boolean hasEvent() throws Exception {
    return channel.await(0);
  }

  @Test
  void shouldRaiseOneEventForWhatCompletesNext() throws Exception {
    SoftCompletionQueue queue = openWithChannel(8);
    addReceive(queue, 0);
    assertFalse(hasEvent(), "it is not armed");
    assertEquals(0, queue.requestNotify(false));
    assertFalse(hasEvent(), "nothing is new");
    addReceive(queue, 0);
    assertTrue(hasEvent());
    addReceive(queue, 0);
    assertFalse(hasEvent(), "it is not armed any more");
  }

  @Test
  void shouldRaiseSolicitedEventsForSolicitedMessagesAndFailures() throws Exception {
    SoftCompletionQueue queue = openWithChannel(8);
    queue.requestNotify(true);
    addReceive(queue, 0);
    addSend(queue, CompletionStatus.SUCCESS);
    assertFalse(hasEvent());
    addReceive(queue, FrameHeader.FLAG_SOLICITED);
    assertTrue(hasEvent());
    queue.requestNotify(true);
    addSend(queue, CompletionStatus.REM_ACCESS_ERR);
    assertTrue(hasEvent());
  }

  @Test
  void shouldNotWeakenARequest() throws Exception {
    SoftCompletionQueue queue = openWithChannel(8);
    queue.requestNotify(false);
    queue.requestNotify(true);
    addReceive(queue, 0);
    assertTrue(hasEvent());
  }

  @Test
  void shouldRefuseToRaiseEventsWithoutAChannel() throws Exception {
    assertEquals(Errno.EINVAL, pair.receives.requestNotify(false));
    SoftCompletionQueue queue = openWithChannel(8);
    queue.close();
    assertEquals(Errno.EBADF, queue.requestNotify(false));
    assertEquals(-Errno.EBADF, poll(queue));
  }

  /** The selector in which such a caller slept has read everything. */
  @Test
  void shouldSkipFourEmptyPollsAfterItWasArmed() throws Exception {
    network.pollsPerDrive = 1;
    SoftCompletionQueue queue = openWithChannel(8);
    queue.requestNotify(false);
    for (int i = 0; i < 2; i++) {
      poll(queue);
    }
    addReceive(queue, 0);
    assertEquals(1, poll(queue), "this poll is not empty, though the queue is then");
    for (int i = 2; i < 4; i++) {
      poll(queue);
    }
    assertEquals(0, network.drives + network.polls);
    poll(queue);
    assertEquals(1, network.drives);
    poll(queue);
    assertEquals(2, network.drives);
    assertEquals(2, network.polls);
  }

  // Overrun.

  @Test
  void shouldBreakForGoodWhenItIsOverrun() throws Exception {
    SoftCompletionQueue queue = openWithChannel(2);
    SoftQueuePair user =
        (SoftQueuePair)
            pair.domain.createQueuePair(pair.queuePair.capabilities(), queue, pair.receives);
    queue.requestNotify(true);
    addReceive(queue, 0);
    addReceive(queue, 0);
    assertEquals(List.of(), pair.events());
    assertFalse(hasEvent());
    addReceive(queue, 0);
    addReceive(queue, 0);
    assertTrue(hasEvent());
    assertEquals(List.of(AsyncEvent.Type.CQ_ERR, AsyncEvent.Type.QP_FATAL), pair.events());
    assertEquals(-Errno.ENOMEM, poll(queue));
    assertEquals(QueuePairState.ERR, user.state());
    assertEquals(QueuePairState.RTS, pair.queuePair.state());
  }

  @Test
  void shouldHaveAChannelOfItsOwnDevice() throws Exception {
    CompletionChannel other =
        new SoftDevice("other", new ScriptedNetwork()).createCompletionChannel();
    VerbsException failure =
        assertThrows(VerbsException.class, () -> pair.device.createCompletionQueue(8, other));
    assertEquals(Errno.EINVAL, failure.errno());
  }
}
