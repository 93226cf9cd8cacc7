// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Closing: in order, twice, and while others are inside.
 *
 * <p>Also tests {@link DeviceObject}, {@link NativeCompletionQueue}, {@link NativeMemoryRegion},
 * {@link NativeObject}, {@link NativeProtectionDomain} and {@link OpenDevices}.
 */
class NativeLifeTest {
  private static final long DEADLINE_S = 20;
  private static final int RACES = 200;

  private FakeLibrary fake;

  @BeforeEach
  void compileFake() {
    fake = FakeLibrary.get();
  }

  private static void expectBusy(Executable close, String... users) {
    VerbsException refusal = assertThrows(VerbsException.class, close);
    assertEquals(Errno.EBUSY, refusal.errno());
    for (String user : users) {
      assertTrue(refusal.getMessage().contains(user), refusal.getMessage());
    }
  }

  @Test
  void shouldNameTheChildrenThatMustBeClosedFirst() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      expectBusy(pair.device::close, "protection domain", "completion channel", "device fake0");
      expectBusy(pair.domain::close, "memory region", "queue pair");
      expectBusy(pair.sends::close, "queue pair");
      expectBusy(pair.channel::close, "completion queue");
      // None of them was harmed.
      assertEquals(0, pair.toReadyToSend().send(1));
    }
    assertEquals(0, fake.control.fake_living());
  }

  @Test
  void shouldDestroyOnceHoweverOftenItIsClosed() throws VerbsException {
    FakePair pair = new FakePair(fake.open("fake0"));
    pair.close();
    pair.close();
    assertEquals(0, fake.control.fake_living());
  }

  @Test
  void shouldLiveOnWhenItCannotBeDestroyed() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0")).toReadyToSend()) {
      fake.control.fake_fail("ibv_destroy_qp", Errno.EBUSY, 1);
      expectBusy(pair.queuePair::close, "ibv_destroy_qp");
      assertEquals(0, pair.send(1));
      pair.queuePair.close();
      assertEquals(Errno.EBADF, pair.send(2));
    }
  }

  @Test
  void shouldRefuseToMakeThingsOfClosedOnes() throws VerbsException {
    FakePair pair = new FakePair(fake.open("fake0"));
    pair.queuePair.close();
    pair.sends.close();
    VerbsException refusal =
        assertThrows(
            VerbsException.class,
            () -> pair.domain.createQueuePair(FakePair.SIZES, pair.sends, pair.receives));
    assertEquals(Errno.EBADF, refusal.errno());
    assertTrue(refusal.getMessage().contains("completion queue of fake0 is closed"));
    pair.close();
  }

  @Test
  void shouldRefuseThingsOfAnotherOpening() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"));
        FakePair other = new FakePair(fake.open("fake0"))) {
      VerbsException refusal =
          assertThrows(
              VerbsException.class,
              () -> pair.domain.createQueuePair(FakePair.SIZES, other.sends, pair.receives));
      assertEquals(Errno.EINVAL, refusal.errno());
      assertThrows(VerbsException.class, () -> pair.device.createCompletionQueue(8, other.channel));
    }
  }

  @Test
  void shouldRefuseRequestsOfAnotherProvider() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0")).toReadyToSend()) {
      assertEquals(Errno.EINVAL, pair.queuePair.postSend(null));
      assertEquals(Errno.EINVAL, pair.queuePair.postReceive(null));
      assertEquals(-Errno.EINVAL, pair.sends.poll(null));
    }
  }

  /** A thread calls until it is refused, while this one closes what it calls. */
  private static void race(Executable close, IntSupplier call) throws Exception {
    CountDownLatch isCalling = new CountDownLatch(1);
    FutureTask<Integer> caller =
        new FutureTask<>(
            () -> {
              int answer = 0;
              while (Math.abs(answer) != Errno.EBADF) {
                answer = call.getAsInt();
                isCalling.countDown();
              }
              return answer;
            });
    Thread thread = new Thread(caller, "caller");
    thread.start();
    assertTrue(isCalling.await(DEADLINE_S, TimeUnit.SECONDS));
    try {
      close.execute();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    caller.get(DEADLINE_S, TimeUnit.SECONDS);
  }

  @Test
  void shouldNotDestroyAQueuePairUnderAPost() throws Exception {
    NativeDevice device = fake.open("fake0");
    for (int i = 0; i < RACES; i++) {
      try (FakePair pair = new FakePair(fake.open("fake1")).toReadyToSend()) {
        race(pair.queuePair::close, () -> pair.send(1));
      }
    }
    device.close();
    assertEquals(0, fake.control.fake_used_after_end());
    assertEquals(0, fake.control.fake_living());
  }

  @Test
  void shouldNotDestroyACompletionQueueUnderAPoll() throws Exception {
    try (NativeDevice device = fake.open("fake0")) {
      for (int i = 0; i < RACES; i++) {
        CompletionQueue queue = device.createCompletionQueue(8);
        WorkCompletions batch = queue.newCompletions(4);
        race(queue::close, () -> queue.poll(batch));
      }
    }
    assertEquals(0, fake.control.fake_used_after_end());
  }

  @Test
  void shouldKeepItsBuffersReachable() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      ByteBuffer whole = ByteBuffer.allocateDirect(300);
      List<ByteBuffer> parts = List.of(whole.slice(0, 100), whole.slice(100, 200));
      try (MemoryRegion region = pair.domain.register(parts, 0)) {
        assertEquals(300, region.lengthBytes());
        assertEquals(NativeBlock.addressOf(whole), region.address());
        assertEquals(0x1100, region.localKey());
        assertEquals(0x2200, region.remoteKey());
      }
    }
  }

  /** A device that its user drops, with memory that it may still write to. */
  private WeakReference<NativeDevice> dropWithMemory() throws VerbsException {
    NativeDevice device = fake.open("fake0");
    device.allocateProtectionDomain().register(ByteBuffer.allocateDirect(300), Access.LOCAL_WRITE);
    return new WeakReference<>(device);
  }

  @Test
  void shouldKeepMemoryOfADroppedDeviceReachable() throws VerbsException {
    WeakReference<NativeDevice> dropped = dropWithMemory();
    WeakReference<Object> unrelated = new WeakReference<>(new Object());
    collect(unrelated);
    assertNotNull(dropped.get());
  }

  @Test
  void shouldLetGoOfADeviceThatIsClosed() throws VerbsException {
    NativeDevice device = fake.open("fake0");
    fake.control.fake_fail("ibv_close_device", Errno.EBUSY, 1);
    expectBusy(device::close, "ibv_close_device");
    WeakReference<NativeDevice> closed = new WeakReference<>(device);
    device.close();
    device = null;
    collect(closed);
  }

  private static void collect(WeakReference<?> garbage) {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
    while (garbage.get() != null) {
      assertTrue(System.nanoTime() - endNs < 0, "something still refers to it");
      System.gc();
    }
  }

  @Test
  void shouldCloseOneDeviceWhileAnotherWaitsForThoseInside() throws Exception {
    NativeDevice busy = fake.open("fake0");
    assertTrue(busy.enter());
    FutureTask<Void> closer =
        new FutureTask<>(
            () -> {
              busy.close();
              return null;
            });
    new Thread(closer, "closer").start();
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
    while (!busy.isClosed()) {
      assertTrue(System.nanoTime() - endNs < 0, "never began to close");
      Thread.onSpinWait();
    }
    fake.open("fake1").close();
    assertFalse(closer.isDone());
    busy.leave();
    closer.get(DEADLINE_S, TimeUnit.SECONDS);
    assertEquals(0, fake.control.fake_living());
  }

  @Test
  void shouldSayWhichBuffersAreNoNeighbours() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      ByteBuffer whole = ByteBuffer.allocateDirect(300);
      List<ByteBuffer> parts =
          List.of(whole.slice(0, 100), whole.slice(100, 50), whole.slice(160, 10));
      VerbsException refusal =
          assertThrows(VerbsException.class, () -> pair.domain.register(parts, 0));
      assertEquals(Errno.EINVAL, refusal.errno());
      assertTrue(
          refusal.getMessage().matches(".*number 1 ends at 0x.*number 2 begins at 0x.*"),
          refusal.getMessage());
    }
  }

  @Test
  void shouldRefuseToWriteToReadOnlyMemory() throws VerbsException {
    try (FakePair pair = new FakePair(fake.open("fake0"))) {
      ByteBuffer memory = ByteBuffer.allocateDirect(8).asReadOnlyBuffer();
      VerbsException refusal =
          assertThrows(
              VerbsException.class, () -> pair.domain.register(memory, Access.LOCAL_WRITE));
      assertEquals(Errno.EFAULT, refusal.errno());
      pair.domain.register(memory, 0).close();
    }
  }
}
