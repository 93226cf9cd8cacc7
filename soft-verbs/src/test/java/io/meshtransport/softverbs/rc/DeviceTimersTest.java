// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The one clock reading of a device, and what happens when a timer fails. */
class DeviceTimersTest {
  private static final long INTERVAL_NS =
      ReadyToSendAttributes.SOFT_SILENCE_NS / ResponseTimeout.CHECKS;

  private ScriptedQueuePair pair;
  private DeviceTimers timers;

  @BeforeEach
  void connect() throws Exception {
    pair = ScriptedQueuePair.connected(1);
    timers = pair.device.timers();
  }

  @Test
  void shouldKeepTheEarliestReading() {
    assertEquals(DeviceTimers.NEVER, timers.earliestNs());
    timers.arm(100);
    timers.arm(200);
    timers.arm(100);
    timers.arm(50);
    assertEquals(50, timers.earliestNs());
    assertEquals(List.of(100L, 50L), pair.network.armed);
  }

  @Test
  void shouldCompareReadingsAcrossAnOverflowOfTheClock() {
    timers.arm(Long.MIN_VALUE + 10);
    timers.arm(Long.MAX_VALUE - 10);
    assertEquals(Long.MAX_VALUE - 10, timers.earliestNs());
    pair.network.nextTimerNs = 77;
    timers.run(Long.MAX_VALUE - 11);
    assertEquals(Long.MAX_VALUE - 10, timers.earliestNs());
    timers.run(Long.MIN_VALUE + 5);
    assertEquals(77, timers.earliestNs());
  }

  @Test
  void shouldRunNothingBeforeItsTime() {
    pair.network.nextTimerNs = 1_000;
    timers.arm(100);
    timers.run(99);
    assertEquals(100, timers.earliestNs());
    timers.run(100);
    assertEquals(1_000, timers.earliestNs(), "the network's next");
  }

  @Test
  void shouldRestWhenNothingIsNext() {
    timers.arm(100);
    timers.run(100);
    assertEquals(DeviceTimers.NEVER, timers.earliestNs());
    pair.network.nextTimerNs = 1_000;
    timers.run(200);
    assertEquals(DeviceTimers.NEVER, timers.earliestNs());
  }

  @Test
  void shouldRunTheTimersOfEveryQueuePair() throws Exception {
    ScriptedStream first = pair.stream;
    pair.post(1, SendOpcode.SEND, 8);
    QueuePair idle = createAnother();
    timers.run(INTERVAL_NS);
    assertEquals(1, first.probes);
    assertEquals(2 * INTERVAL_NS, timers.earliestNs());
    idle.close();
  }

  @Test
  void shouldFailTheQueuePairWhoseTimerFails() throws Exception {
    pair.post(1, SendOpcode.SEND, 8);
    pair.stream.failure = new IllegalStateException("of the test");
    pair.network.nextTimerNs = 10 * INTERVAL_NS;
    timers.run(INTERVAL_NS);
    assertEquals(QueuePairState.ERR, pair.queuePair.state());
    assertEquals(List.of("1 " + CompletionStatus.WR_FLUSH_ERR), pair.outcomes(pair.sends));
    assertEquals(List.of(AsyncEvent.Type.QP_FATAL), pair.events());
    assertEquals(10 * INTERVAL_NS, timers.earliestNs(), "the other timers run");
  }

  /** A stage that depends on a connect may close other queue pairs when the connect fails. */
  @Test
  void shouldGoOnWhenQueuePairsAreClosedMeanwhile() throws Exception {
    QueuePair second = createAnother();
    QueuePair third = createAnother();
    // The timers of the last run first.
    pair.device.queuePairs().remove(pair.engine());
    pair.device.queuePairs().add(pair.engine());
    pair.queuePair.connected().whenComplete((connected, failure) -> close(second, third));
    pair.post(1, SendOpcode.SEND, 8);
    pair.stream.failure = new IllegalStateException("of the test");
    pair.network.nextTimerNs = 10 * INTERVAL_NS;
    timers.run(INTERVAL_NS);
    assertEquals(1, pair.device.queuePairs().size());
    assertEquals(10 * INTERVAL_NS, timers.earliestNs());
  }

  private QueuePair createAnother() throws VerbsException {
    return pair.domain.createQueuePair(
        new QueuePairCapabilities(1, 1, 1, 1, 0), pair.sends, pair.receives);
  }

  private static void close(QueuePair... queuePairs) {
    try {
      for (QueuePair queuePair : queuePairs) {
        queuePair.close();
      }
    } catch (VerbsException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldTryTheNetworkAgainAfterItsTimerFailed() {
    pair.network.failure = new IllegalStateException("of the test");
    timers.arm(100);
    timers.run(100);
    assertEquals(100_000_100, timers.earliestNs());
    pair.network.failure = null;
    pair.network.nextTimerNs = 200_000_000;
    timers.run(100_000_100);
    assertEquals(200_000_000, timers.earliestNs());
  }
}
