// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SharedReceiveQueue;
import io.meshtransport.verbs.VerbsException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Shared receive queues and address handles, on the fake library.
 *
 * <p>Also tests {@link Extent}.
 */
class NativeSharedReceiveQueueTest {
  private FakeLibrary fake;

  @BeforeEach
  void compileFake() {
    fake = FakeLibrary.get();
  }

  private static int receive(SharedReceiveQueue queue, ReceiveChain chain, int count) {
    chain.clear();
    for (int i = 0; i < count; i++) {
      chain.begin(i);
    }
    return queue.postReceive(chain);
  }

  @Test
  void shouldRefuseMoreReceivesThanFitAndSayWhich() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"));
        SharedReceiveQueue queue = pair.domain.createSharedReceiveQueue(3, 2)) {
      assertEquals(3, queue.depth());
      assertEquals(2, queue.sges());
      ReceiveChain chain = queue.newReceiveChain(8);
      assertEquals(Errno.ENOMEM, receive(queue, chain, 5));
      assertEquals(3, chain.refusedIndex());
      queue.resize(10);
      assertEquals(0, receive(queue, chain, 7));
      assertEquals(Errno.EINVAL, queue.postReceive(null));
    }
  }

  @Test
  void shouldArmItsLimit() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"));
        SharedReceiveQueue queue = pair.domain.createSharedReceiveQueue(3, 2)) {
      queue.armLimit(2);
      assertEquals(2, queue.armedLimit());
      assertEquals(
          Errno.EINVAL, assertThrows(VerbsException.class, () -> queue.armLimit(4)).errno());
      fake.control.fake_fail("ibv_modify_srq", Errno.EIO, 1);
      VerbsException failure = assertThrows(VerbsException.class, () -> queue.armLimit(1));
      assertTrue(failure.getMessage().contains("ibv_modify_srq"), failure.getMessage());
    }
  }

  @Test
  void shouldOutliveItsQueuePairs() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      SharedReceiveQueue queue = pair.domain.createSharedReceiveQueue(3, 2);
      QueuePair user =
          pair.domain.createQueuePair(
              QueuePairType.RC, FakePair.SIZES, pair.sends, pair.receives, queue);
      VerbsException refusal = assertThrows(VerbsException.class, queue::close);
      assertEquals(Errno.EBUSY, refusal.errno());
      user.close();
      queue.close();
      queue.close();
      assertEquals(Errno.EBADF, receive(queue, queue.newReceiveChain(1), 1));
    }
    assertEquals(0, fake.control.fake_used_after_end());
    assertEquals(0, fake.control.fake_living());
  }

  @Test
  void shouldSayWhyItCannotBeMade() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      fake.control.fake_fail("ibv_create_srq", Errno.ENOMEM, 1);
      VerbsException failure =
          assertThrows(VerbsException.class, () -> pair.domain.createSharedReceiveQueue(3, 2));
      assertTrue(failure.getMessage().contains("ulimit -l"), failure.getMessage());
      assertEquals(
          Errno.EINVAL,
          assertThrows(VerbsException.class, () -> pair.domain.createSharedReceiveQueue(65, 1))
              .errno());
    }
  }

  @Test
  void shouldMakeAndEndAddressHandles() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"));
        AddressHandle way = pair.domain.createAddressHandle(FakePair.PEER, 1)) {
      assertEquals(FakePair.PEER, way.peer());
      assertEquals(1, way.port());
      fake.control.fake_fail("ibv_create_ah", 110, 1);
      assertEquals(
          110,
          assertThrows(
                  VerbsException.class, () -> pair.domain.createAddressHandle(FakePair.PEER, 1))
              .errno());
    }
    assertEquals(0, fake.control.fake_living());
  }
}
