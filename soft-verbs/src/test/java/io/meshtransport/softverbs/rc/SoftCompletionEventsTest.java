// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Waiting for the events of several devices at once, which may share a {@link ProgressEngine}; the
 * test scripts what happens in a wait.
 */
class SoftCompletionEventsTest {
  private static final long LONG_NS = 60_000_000_000L;

  private final ScriptedNetwork leftNetwork = new ScriptedNetwork();
  private final ScriptedNetwork rightNetwork = new ScriptedNetwork();
  private final SoftDevice left = new SoftDevice("left", leftNetwork);
  private final SoftDevice right = new SoftDevice("right", rightNetwork);
  private SoftCompletionEvents events;

  @BeforeEach
  void create() {
    events = (SoftCompletionEvents) left.createCompletionEvents();
  }

  @AfterEach
  void close() {
    events.close();
  }

  /** A channel of the device that reports itself by a name. */
  private SoftCompletionChannel channel(SoftDevice device, String name) throws VerbsException {
    SoftCompletionChannel channel = (SoftCompletionChannel) device.createCompletionChannel();
    channel.attach(events, name);
    return channel;
  }

  private static void raise(SoftCompletionChannel channel) {
    channel.device().locked(channel::raise);
  }

  private void expectNext(String... names) {
    for (String name : names) {
      assertEquals(name, events.next());
    }
    assertNull(events.next());
  }

  private static void expectClosed(Executable call) {
    assertEquals(Errno.EBADF, assertThrows(VerbsException.class, call).errno());
  }

  // The list.

  @Test
  void shouldReportChannelsInTheOrderOfTheirEvents() throws Exception {
    SoftCompletionChannel one = channel(left, "one");
    SoftCompletionChannel two = channel(right, "two");
    SoftCompletionChannel three = channel(left, "three");
    raise(three);
    raise(one);
    assertTrue(events.await(0));
    assertEquals("three", events.next());
    raise(two);
    raise(three);
    expectNext("one", "two", "three");
    assertFalse(events.await(0));
  }

  @Test
  void shouldFlushTheDevicesThatHaveDeferredFrames() throws Exception {
    channel(left, "one");
    channel(right, "two");
    rightNetwork.hasDeferred = true;
    events.flush();
    assertEquals(0, leftNetwork.flushesOfDeferred);
    assertEquals(1, rightNetwork.flushesOfDeferred);
  }

  @Test
  void shouldReportAChannelOnceForAllItsEvents() throws Exception {
    SoftCompletionChannel channel = channel(left, "one");
    raise(channel);
    raise(channel);
    expectNext("one");
    raise(channel);
    expectNext("one");
  }

  @Test
  void shouldNotReportAChannelThatWasDetached() throws Exception {
    SoftCompletionChannel one = channel(left, "one");
    SoftCompletionChannel two = channel(left, "two");
    raise(one);
    raise(two);
    one.detach();
    expectNext("two");
    raise(one);
    expectNext();
  }

  @Test
  void shouldEndItsWaitInOneEngineForAnEventThatItRaisesInAnother() throws Exception {
    channel(left, "one");
    SoftCompletionChannel two = channel(right, "two");
    leftNetwork.wait =
        (waiter, timeoutNs) -> {
          assertEquals(0, leftNetwork.endsOfOwnWaits);
          // This thread drives what the left engine is built on.
          raise(two);
          assertEquals(1, leftNetwork.endsOfOwnWaits);
        };
    assertTrue(events.await(LONG_NS));
    assertEquals(1, leftNetwork.waits);
    expectNext("two");
    leftNetwork.wait = (waiter, timeoutNs) -> {};
    rightNetwork.wait = (waiter, timeoutNs) -> raise(two);
    assertTrue(events.await(LONG_NS));
    assertEquals(0, rightNetwork.endsOfOwnWaits, "it sees its own events");
  }

  // Polling.

  @Test
  void shouldDriveEachDeviceOnceWhenPolled() throws Exception {
    SoftCompletionChannel first = channel(left, "one");
    SoftCompletionChannel second = channel(left, "two");
    channel(right, "three");
    assertFalse(events.await(0));
    assertEquals(List.of(1, 1), List.of(leftNetwork.drives, rightNetwork.drives));
    first.detach();
    assertFalse(events.await(0));
    assertEquals(List.of(2, 2), List.of(leftNetwork.drives, rightNetwork.drives));
    second.close();
    assertFalse(events.await(0));
    assertEquals(List.of(2, 3), List.of(leftNetwork.drives, rightNetwork.drives));
    assertEquals(0, leftNetwork.waits + rightNetwork.waits);
  }

  @Test
  void shouldNeitherDriveNorWaitWhenAnEventIsThere() throws Exception {
    raise(channel(left, "one"));
    assertTrue(events.await(LONG_NS));
    assertTrue(events.await(0));
    assertEquals(0, leftNetwork.drives + leftNetwork.waits);
    // Also when it was fetched from the list.
    raise(channel(left, "two"));
    assertEquals("one", events.next());
    assertTrue(events.await(LONG_NS));
    assertTrue(events.awaitUndriven(LONG_NS));
    assertEquals(0, leftNetwork.drives + leftNetwork.waits);
  }

  // Waiting.

  @Test
  void shouldWaitInTheDeviceThatHadAnEventLastAndLeaveTheOthers() throws Exception {
    channel(left, "one");
    SoftCompletionChannel second = channel(right, "two");
    events.await(LONG_NS);
    assertEquals(List.of(1, 0), List.of(leftNetwork.waits, rightNetwork.waits));
    assertEquals(List.of(0, 1), List.of(leftNetwork.leaves, rightNetwork.leaves));
    raise(second);
    expectNext("two");
    events.await(LONG_NS);
    assertEquals(List.of(1, 1), List.of(leftNetwork.waits, rightNetwork.waits));
    assertEquals(List.of(1, 1), List.of(leftNetwork.leaves, rightNetwork.leaves));
  }

  @Test
  void shouldEndAWaitWithAnEventOfTheDeviceItDrives() throws Exception {
    SoftCompletionChannel channel = channel(left, "one");
    leftNetwork.wait =
        (waiter, timeoutNs) -> {
          assertEquals(LONG_NS, timeoutNs);
          assertFalse(waiter.isOver());
          raise(channel);
          assertTrue(waiter.isOver());
        };
    assertTrue(events.await(LONG_NS));
    assertEquals(0, leftNetwork.wakes, "a thread wakes itself");
  }

  @Test
  void shouldWakeAWaitForAnEventOfAnotherThread() throws Exception {
    channel(left, "one");
    SoftCompletionChannel other = channel(right, "two");
    leftNetwork.wait = (waiter, timeoutNs) -> Waiters.elsewhere(() -> raise(other));
    assertTrue(events.await(LONG_NS));
    assertEquals(List.of(1, 0), List.of(leftNetwork.wakes, rightNetwork.wakes));
    expectNext("two");
    Waiters.elsewhere(() -> raise(other));
    assertEquals(1, leftNetwork.wakes, "no thread waits");
  }

  @Test
  void shouldWakeTheThreadThatWaitsInADevice() throws Exception {
    SoftCompletionChannel channel = channel(left, "one");
    leftNetwork.wait =
        (waiter, timeoutNs) -> Waiters.parkUntil(() -> raise(channel), waiter::isOver);
    assertTrue(events.await(LONG_NS));
  }

  @Test
  void shouldEndOneWaitWhenWoken() throws Exception {
    channel(left, "one");
    events.wakeUp();
    assertTrue(events.isOver());
    assertFalse(events.await(LONG_NS));
    assertEquals(0, leftNetwork.waits);
    leftNetwork.wait = (waiter, timeoutNs) -> Waiters.elsewhere(events::wakeUp);
    assertFalse(events.await(LONG_NS));
    assertEquals(1, leftNetwork.waits);
    assertEquals(1, leftNetwork.wakes);
  }

  @Test
  void shouldWaitWithoutDevices() throws Exception {
    Waiters.Parked parked = Waiters.onceParked(Thread.currentThread(), events::wakeUp);
    assertFalse(events.await(LONG_NS));
    assertTrue(parked.end(), "it did not wait");
  }

  @Test
  void shouldDriveAndWaitOnceWhereDevicesShareAnEngine() throws Exception {
    rightNetwork.engine = leftNetwork;
    channel(left, "one");
    SoftCompletionChannel second = channel(right, "two");
    assertFalse(events.await(0));
    assertEquals(List.of(1, 0), List.of(leftNetwork.drives, rightNetwork.drives));
    leftNetwork.wait = (waiter, timeoutNs) -> raise(second);
    assertTrue(events.await(LONG_NS));
    expectNext("two");
    assertFalse(events.await(0));
    assertTrue(events.arm());
    assertEquals(1, leftNetwork.waits);
    assertEquals(1, leftNetwork.leaves);
    assertEquals(0, rightNetwork.waits + rightNetwork.leaves);
  }

  @Test
  void shouldTellEachDeviceThatItsCallerIsBack() throws Exception {
    channel(left, "one");
    channel(right, "two");
    events.await(LONG_NS);
    assertEquals(List.of(1, 1), List.of(leftNetwork.polls, rightNetwork.polls));
  }

  // Waiting without driving.

  @Test
  void shouldNotDriveInAnUndrivenWait() throws Exception {
    SoftCompletionChannel channel = channel(left, "one");
    Waiters.Parked parked = Waiters.onceParked(Thread.currentThread(), () -> raise(channel));
    assertTrue(events.awaitUndriven(LONG_NS));
    assertTrue(parked.end(), "it did not wait");
    assertEquals(0, leftNetwork.drives + leftNetwork.waits + leftNetwork.wakes);
    assertTrue(events.awaitUndriven(LONG_NS));
    expectNext("one");
  }

  @Test
  void shouldWaitOnWhenItWakesWithoutAReason() throws Exception {
    SoftCompletionChannel channel = channel(left, "one");
    LockSupport.unpark(Thread.currentThread());
    Waiters.Parked parked = Waiters.onceParked(Thread.currentThread(), () -> raise(channel));
    assertTrue(events.awaitUndriven(LONG_NS));
    assertTrue(parked.end());
  }

  @Test
  void shouldEndAnUndrivenWaitAfterItsTime() throws Exception {
    assertFalse(events.awaitUndriven(0));
    assertFalse(events.awaitUndriven(1_000));
  }

  @Test
  void shouldEndAnUndrivenWaitOfAnInterruptedThread() throws Exception {
    Thread.currentThread().interrupt();
    assertFalse(events.awaitUndriven(LONG_NS));
    assertTrue(Thread.interrupted());
  }

  @Test
  void shouldEndAnUndrivenWaitWhenWoken() throws Exception {
    events.wakeUp();
    assertFalse(events.awaitUndriven(LONG_NS));
    Waiters.Parked parked = Waiters.onceParked(Thread.currentThread(), events::wakeUp);
    assertFalse(events.awaitUndriven(LONG_NS));
    assertTrue(parked.end());
  }

  // For event loops of others.

  /** How often the descriptor was signaled since it was cleared. */
  private long signals() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/fdinfo/" + events.fd())).stream()
        .filter(line -> line.startsWith("eventfd-count:"))
        .mapToLong(line -> Long.parseLong(line.substring(14).strip(), 16))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldSignalItsDescriptorOnceUntilItIsCleared() throws Exception {
    SoftCompletionChannel one = channel(left, "one");
    SoftCompletionChannel two = channel(left, "two");
    assertEquals(0, signals());
    raise(one);
    raise(two);
    assertEquals(1, signals());
    assertTrue(events.await(0));
    assertEquals(0, signals());
    expectNext("one", "two");
    raise(one);
    assertEquals(1, signals());
  }

  @Test
  void shouldSignalADescriptorThatIsOpenedAfterTheEvent() throws Exception {
    raise(channel(left, "one"));
    assertEquals(1, signals());
  }

  @Test
  void shouldCloseItsDescriptor() throws Exception {
    Path descriptor = Path.of("/proc/self/fd/" + events.fd());
    assertTrue(isEventFd(descriptor));
    events.close();
    assertFalse(isEventFd(descriptor));
  }

  private static boolean isEventFd(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().contains("eventfd");
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void shouldLeaveItsDevicesWhenArmed() throws Exception {
    SoftCompletionChannel one = channel(left, "one");
    channel(right, "two");
    assertTrue(events.arm());
    assertEquals(List.of(1, 1), List.of(leftNetwork.leaves, rightNetwork.leaves));
    raise(one);
    assertFalse(events.arm());
    assertFalse(events.arm(), "the event is still there");
    expectNext("one");
    events.wakeUp();
    assertFalse(events.arm());
    assertTrue(events.arm(), "being woken counts once");
    assertEquals(List.of(2, 2), List.of(leftNetwork.leaves, rightNetwork.leaves));
  }

  // Closing.

  @Test
  void shouldRefuseEverythingWhenClosed() throws Exception {
    events.close();
    expectClosed(() -> events.await(0));
    expectClosed(() -> events.awaitUndriven(0));
    expectClosed(() -> events.arm());
    expectClosed(() -> events.fd());
    expectClosed(() -> channel(left, "late"));
  }

  @Test
  void shouldEndAWaitWhenItIsClosed() throws Exception {
    channel(left, "one");
    leftNetwork.wait = (waiter, timeoutNs) -> Waiters.elsewhere(events::close);
    expectClosed(() -> events.await(LONG_NS));
    assertEquals(1, leftNetwork.wakes);
    events.close();
    assertEquals(1, leftNetwork.wakes);
  }

  @Test
  void shouldEndAnUndrivenWaitWhenItIsClosed() throws Exception {
    Waiters.Parked parked = Waiters.onceParked(Thread.currentThread(), events::close);
    expectClosed(() -> events.awaitUndriven(LONG_NS));
    assertTrue(parked.end());
  }
}
