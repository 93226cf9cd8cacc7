// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/**
 * What the chapters of {@link ChannelContractTest} share: two nodes, opened before and closed after
 * each test. A test runs on a thread of its own, so one that blocks fails instead of hanging.
 */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ContractChapter {
  /** Far more than anything here takes; met only by what never happens. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Between two looks at what is to become so. */
  private static final Duration POLL = Duration.ofMillis(10);

  /** Of a wait that is repeated. */
  static final Duration SLICE = Duration.ofMillis(100);

  Transport left;
  Transport right;

  abstract ChannelContractTest contract();

  /** Whether this chapter is of connections. */
  boolean needsConnections() {
    return false;
  }

  /** Whether this chapter is of pollers. */
  boolean needsPollers() {
    return false;
  }

  @BeforeEach
  void openNodes() throws Exception {
    assumeTrue(
        contract().hasConnections() || !needsConnections() && !contract().needsConnections(),
        "it has no connections yet");
    assumeTrue(contract().hasPollers() || !needsPollers(), "it has no pollers yet");
    left = contract().openNode("left");
    right = contract().openNode("right");
  }

  @AfterEach
  void closeNodes() {
    // Both, even where opening the second failed.
    try {
      if (right != null) {
        right.close();
      }
    } finally {
      if (left != null) {
        left.close();
      }
    }
  }

  /** A channel from left to right with so many bytes of memory at each end. */
  ChannelEnds channel(int memoryBytes) throws TransportException {
    return channel(left, right, memoryBytes);
  }

  /** A channel from one node to another, with so many bytes of memory at each end. */
  ChannelEnds channel(Transport from, Transport to, int memoryBytes) throws TransportException {
    try (Listener listener = to.listen()) {
      return channel(from, to, listener, memoryBytes);
    }
  }

  /** A channel from one node to another's listener, with so many bytes of memory at each end. */
  ChannelEnds channel(Transport from, Transport to, Listener listener, int memoryBytes)
      throws TransportException {
    return contract().open(from, to, listener, memoryBytes);
  }

  static RegisteredMemory memory(Transport node, int lengthBytes) throws TransportException {
    return node.register(ByteBuffer.allocateDirect(lengthBytes));
  }

  /**
   * Waits on this very thread, for channels are confined to it. What is so already costs no wait.
   */
  static ConditionFactory eventually() {
    return Awaitility.await()
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL)
        .atMost(PATIENCE);
  }

  /**
   * Moves the sending end along until nothing waits for a receive, which may still be on its way.
   * From then on messages arrive without it.
   */
  static void awaitAllLeaving(ChannelEnds ends) {
    eventually().until(() -> ends.out().sendsNeedingProgress() == 0 || hasMovedInVain(ends));
  }

  /** Lets a thread that only waits move things along. Always false. */
  private static boolean hasMovedInVain(ChannelEnds ends) {
    ends.out().awaitProgress(ends.out().progressCount(), SLICE);
    return false;
  }

  /** Expects a typed failure with this reason and hands it back. */
  static TransportException assertFails(TransportException.Reason reason, Executable what) {
    TransportException failure = assertThrows(TransportException.class, what);
    assertEquals(reason, failure.reason(), failure.toString());
    return failure;
  }
}
