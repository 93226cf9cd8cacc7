// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.VerbsException;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The attributes of a device, the streams it addresses, and when it may be closed. */
class SoftDeviceTest {
  private final ScriptedNetwork network = new ScriptedNetwork();
  private final SoftDevice device = new SoftDevice("scripted", network);

  /** Every call has released the lock. */
  @AfterEach
  void expectUnlocked() {
    assertFalse(device.lock().isLocked());
  }

  private static String refused(int errno, Executable call) {
    VerbsException failure = assertThrows(VerbsException.class, call);
    assertEquals(errno, failure.errno());
    return failure.getMessage();
  }

  private static void expect(String part, String text) {
    assertTrue(text.contains(part), text);
  }

  @Test
  void shouldDescribeItself() {
    assertEquals("scripted", device.name());
    assertTrue(device.returnsAtOnce());
    assertEquals(ScriptedNetwork.WIRE_PORT, device.wirePort());
    expect("host reset", device.vendorErrorText(PeerLoss.RESET.vendorError()));
  }

  @Test
  void shouldReportWhetherItsPortWorks() throws Exception {
    assertTrue(device.queryPort(1).link().isUp());
    assertEquals(1024, device.queryPort(1).activeMtuBytes());
    network.portState = PortState.DOWN;
    assertEquals(PortState.DOWN, device.queryPort(1).state());
    assertFalse(device.queryPort(1).link().isUp());
    refused(Errno.EINVAL, () -> device.queryPort(2));
    refused(Errno.EINVAL, () -> device.gidTable(0));
  }

  @Test
  void shouldReleaseItsLockWhateverHappensUnderIt() throws Exception {
    device.locked(() -> assertTrue(device.lock().isHeldByCurrentThread()));
    assertFalse(device.lock().isLocked());
    device.lockedThrowing(() -> assertTrue(device.lock().isHeldByCurrentThread()));
    assertFalse(device.lock().isLocked());
    assertEquals(5, device.lockedResult(() -> 5));
    assertFalse(device.lock().isLocked());
    VerbsException failure = new VerbsException(Errno.EIO, "of the test");
    refused(
        Errno.EIO,
        () ->
            device.lockedResult(
                () -> {
                  throw failure;
                }));
  }

  @Test
  void shouldCountRoundsOfReading() {
    int first = device.nextReadRound();
    assertNotEquals(0, first, "streams begin with round 0");
    assertEquals(first + 1, device.nextReadRound());
  }

  @Test
  void shouldPlaceRegionsOnPagesBelowAnOverflow() {
    network.random = numbers(-1L, 0, 4 * 4097, 1L << 62);
    assertEquals(1L << 62, device.nextAddress());
    assertEquals(4096, device.nextAddress());
    assertEquals(2 * 4096, device.nextAddress());
    assertEquals((1L << 60) + 4096, device.nextAddress());
  }

  private static Random numbers(long... values) {
    return new Random() {
      private int next;

      @Override
      public long nextLong() {
        return values[next++];
      }
    };
  }

  @Test
  void shouldCreateCompletionQueuesOfEveryDepthItNames() throws Exception {
    CompletionChannel channel = device.createCompletionChannel();
    int max = SoftLimits.MAX_COMPLETION_QUEUE_DEPTH;
    for (int depth : new int[] {1, max}) {
      assertEquals(depth, device.createCompletionQueue(depth).depth());
      assertEquals(depth, device.createCompletionQueue(depth, channel).depth());
    }
    for (int depth : new int[] {0, max + 1}) {
      refused(Errno.EINVAL, () -> device.createCompletionQueue(depth));
      refused(Errno.EINVAL, () -> device.createCompletionQueue(depth, channel));
    }
  }

  // Peers.

  private StreamAddress address(Gid gid, int port, int row, int queuePair) throws VerbsException {
    return device.streamAddress(
        7,
        new ReadyToReceiveAttributes(
            new PeerAddress(gid, port, row, 1, 0, 0), queuePair, 0, 1024, 1, 1));
  }

  @Test
  void shouldConnectItsOwnRowWithThePeer() throws Exception {
    assertEquals(
        new StreamAddress(
            ScriptedNetwork.GID, ScriptedNetwork.WIRE_PORT, 7, ScriptedQueuePair.PEER, 9, 8),
        address(ScriptedQueuePair.PEER, 9, 3, 8));
  }

  @Test
  void shouldRefusePeersThatCannotBeReached() {
    Gid peer = ScriptedQueuePair.PEER;
    int port = ScriptedNetwork.WIRE_PORT;
    expect("no GID in row 4", refused(Errno.EINVAL, () -> address(peer, 9, 4, 8)));
    expect("wire port is missing", refused(Errno.EINVAL, () -> address(peer, 0, 3, 8)));
    expect(
        "cannot be its own peer",
        refused(Errno.EINVAL, () -> address(ScriptedNetwork.GID, port, 3, 7)));
  }

  // Closing.

  @Test
  void shouldCloseItsNetworkOnceNothingUsesIt() throws Exception {
    CompletionQueue queue = device.createCompletionQueue(1);
    expect("1 objects made from it", refused(Errno.EBUSY, device::close));
    assertFalse(device.lock().isLocked());
    assertEquals(0, network.closes);
    queue.close();
    device.close();
    device.close();
    assertEquals(1, network.closes);
    refused(Errno.EBADF, () -> device.createCompletionQueue(1));
    refused(Errno.EBADF, () -> device.queryPort(1));
  }
}
