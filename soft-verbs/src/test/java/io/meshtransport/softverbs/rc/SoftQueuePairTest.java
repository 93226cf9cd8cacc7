// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Posting to a queue pair, and where a chain stops.
 *
 * <p>Also tests {@link SoftSendChain}, {@link SoftReceiveChain} and {@link SendQueue}.
 */
class SoftQueuePairTest {
  private ScriptedQueuePair pair;

  @BeforeEach
  void connect() throws Exception {
    pair = ScriptedQueuePair.connected(1);
  }

  /** Every call has released the device's lock. */
  @AfterEach
  void expectUnlocked() {
    assertFalse(pair.device.lock().isLocked());
  }

  private SendChain sends(int count, int flags, int lengthBytes) {
    SendChain chain = pair.queuePair.newSendChain(count);
    for (int i = 0; i < count; i++) {
      chain.begin(i, SendOpcode.SEND, flags);
      chain.sge(pair.region.address() + i, lengthBytes, pair.region.localKey());
    }
    return chain;
  }

  private ReceiveChain receives(int count) {
    ReceiveChain chain = pair.queuePair.newReceiveChain(count);
    for (int i = 0; i < count; i++) {
      chain.begin(i);
      chain.sge(pair.region.address(), 8, pair.region.localKey());
    }
    return chain;
  }

  private static void expectClosed(Executable call) {
    assertEquals(Errno.EBADF, assertThrows(VerbsException.class, call).errno());
  }

  @Test
  void shouldPostAWholeChain() {
    SendChain chain = sends(3, 0, 8);
    assertEquals(3, chain.capacity());
    assertEquals(0, pair.queuePair.postSend(chain));
    assertEquals(3, chain.refusedIndex());
    assertEquals(List.of(FrameType.SEND, FrameType.SEND, FrameType.SEND), pair.fetchTypes());
    ReceiveChain receives = receives(3);
    assertEquals(3, receives.capacity());
    assertEquals(0, pair.queuePair.postReceive(receives));
    assertEquals(3, receives.refusedIndex());
  }

  @Test
  void shouldStopAChainWhereTheSendQueueIsFull() {
    SendChain chain = sends(ScriptedQueuePair.DEPTH + 2, 0, 8);
    assertEquals(Errno.ENOMEM, pair.queuePair.postSend(chain));
    assertEquals(ScriptedQueuePair.DEPTH, chain.refusedIndex());
    assertEquals(ScriptedQueuePair.DEPTH, pair.fetchTypes().size());
  }

  @Test
  void shouldStopAChainWhereTheReceiveQueueIsFull() {
    ReceiveChain chain = receives(ScriptedQueuePair.DEPTH + 2);
    assertEquals(Errno.ENOMEM, pair.queuePair.postReceive(chain));
    assertEquals(ScriptedQueuePair.DEPTH, chain.refusedIndex());
  }

  @Test
  void shouldStopAChainAtARequestThatIsMalformed() {
    SendChain chain = pair.queuePair.newSendChain(2);
    chain.begin(1, SendOpcode.SEND, 0);
    chain.begin(2, SendOpcode.SEND, 0);
    for (int i = 0; i < 3; i++) {
      chain.sge(pair.region.address(), 8, pair.region.localKey());
    }
    assertEquals(Errno.EINVAL, pair.queuePair.postSend(chain));
    assertEquals(1, chain.refusedIndex());
    ReceiveChain receives = pair.queuePair.newReceiveChain(1);
    receives.begin(1);
    for (int i = 0; i < 3; i++) {
      receives.sge(pair.region.address(), 8, pair.region.localKey());
    }
    assertEquals(Errno.EINVAL, pair.queuePair.postReceive(receives));
    assertEquals(0, receives.refusedIndex());
  }

  @Test
  void shouldFlushNothingOfARefusedChain() {
    pair.queuePair.postSend(sends(0, 0, 8));
    assertEquals(0, pair.stream.flushes + pair.stream.deferredFlushes);
    assertEquals(
        Errno.EINVAL,
        pair.queuePair.postSend(sends(1, SendFlags.INLINE, ScriptedQueuePair.INLINE_BYTES + 1)));
    assertEquals(0, pair.stream.flushes + pair.stream.deferredFlushes);
  }

  // Inline payload.

  @Test
  void shouldCopyInlinePayloadWhenItIsPosted() {
    for (int i = 0; i < 8; i++) {
      pair.memory.put(i, (byte) (10 + i));
    }
    assertEquals(0, pair.queuePair.postSend(sends(3, SendFlags.INLINE, 4)));
    for (int i = 0; i < 8; i++) {
      pair.memory.put(i, (byte) 0);
    }
    for (int i = 10; i < 13; i++) {
      assertArrayEquals(
          new byte[] {(byte) i, (byte) (i + 1), (byte) (i + 2), (byte) (i + 3)},
          pair.stream.fetch().payload());
    }
  }

  @Test
  void shouldCopyInlinePayloadOfSeveralRegions() throws Exception {
    MemoryRegion other = pair.register(4);
    for (int round = 0; round < 2; round++) {
      SendChain chain = pair.queuePair.newSendChain(1);
      chain.begin(1, SendOpcode.SEND, SendFlags.INLINE);
      pair.memory.put(0, (byte) (7 + round));
      chain.sge(other.address(), 1, other.localKey());
      chain.sge(pair.region.address(), 1, pair.region.localKey());
      assertEquals(0, pair.queuePair.postSend(chain));
      assertArrayEquals(new byte[] {0, (byte) (7 + round)}, pair.stream.fetch().payload());
    }
  }

  @Test
  void shouldRefuseInlinePayloadThatIsNotRegistered() {
    SendChain chain = pair.queuePair.newSendChain(1);
    chain.begin(1, SendOpcode.SEND, SendFlags.INLINE);
    chain.sge(pair.region.address(), 4, pair.region.localKey());
    chain.sge(pair.region.address(), 4, pair.region.localKey() + 1);
    assertEquals(Errno.EINVAL, pair.queuePair.postSend(chain));
    assertEquals(0, chain.refusedIndex());
    // Nothing of it is left for the next.
    pair.memory.put(100, (byte) 5);
    assertEquals(
        0,
        pair.post(
            2,
            SendOpcode.SEND,
            SendFlags.INLINE,
            pair.region.address() + 100,
            1,
            pair.region.localKey()));
    assertArrayEquals(new byte[] {5}, pair.stream.fetch().payload());
  }

  // Chains.

  @Test
  void shouldFillAChainAgainAfterItWasCleared() {
    SendChain sends = sends(2, 0, 8);
    assertThrows(IllegalStateException.class, () -> sends.begin(9, SendOpcode.SEND, 0));
    assertEquals(2, sends.size());
    sends.clear();
    assertEquals(0, sends.size());
    assertThrows(IllegalStateException.class, () -> sends.immediate(1));
    ReceiveChain receives = receives(2);
    assertThrows(IllegalStateException.class, () -> receives.begin(9));
    receives.clear();
    assertThrows(IllegalStateException.class, () -> receives.sge(0, 0, 0));
  }

  // States.

  @Test
  void shouldRefuseRequestsBeforeTheirState() throws Exception {
    pair = new ScriptedQueuePair();
    assertEquals(Errno.EINVAL, pair.queuePair.postReceive(receives(1)));
    pair.toReadyToReceive(1);
    assertEquals(0, pair.queuePair.postReceive(receives(1)));
    assertEquals(Errno.EINVAL, pair.queuePair.postSend(sends(1, 0, 8)));
    assertNotNull(pair.queuePair.connected());
    assertFalse(pair.device.lock().isLocked());
    assertEquals("scripted", pair.queuePair.connectionText());
  }

  @Test
  void shouldKeepItsFirstAttributesWhenItIsReadyToSendTwice() throws Exception {
    pair.toReadyToSend(0, 7);
    pair.post(1, SendOpcode.RDMA_READ, 8);
    assertEquals(List.of(FrameType.READ_REQUEST), pair.fetchTypes());
  }

  @Test
  void shouldRefuseEverythingWhenClosed() throws Exception {
    SendChain sends = sends(1, 0, 8);
    ReceiveChain receives = receives(1);
    pair.queuePair.close();
    pair.queuePair.close();
    assertEquals(Errno.EBADF, pair.queuePair.postSend(sends));
    assertEquals(Errno.EBADF, pair.queuePair.postReceive(receives));
    expectClosed(pair.queuePair::toReset);
    expectClosed(pair.queuePair::toError);
    expectClosed(pair.queuePair::state);
    assertEquals(0, pair.device.queuePairs().size());
    pair.sends.close();
    pair.receives.close();
  }
}
