// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Registrations;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What stays registered of buffers that nobody registered. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegistrationCacheTest {
  private static final int SIZE = 1_000;
  private static final int BYTES = 3 * SIZE;
  private static final int ENTRIES = 3;

  private OpenNic nic;
  private MemoryRegistry table;
  private RegistrationCache cache;

  @BeforeEach
  void open() throws Exception {
    SimulatedFabric fabric = new SimulatedFabric(1, SimulatedCable.usual());
    nic = NicFixture.over(0, "soft", "eth0", fabric.open("eth0"));
    table =
        new MemoryRegistry(
            new NodeId(1, 2),
            new Registrations(List.of(nic)),
            new MemorySettings(0, BYTES, ENTRIES, 16, 4, 0));
    cache = table.unregistered().cache();
  }

  @AfterEach
  void close() throws Exception {
    IllegalStateException leak = new IllegalStateException();
    table.closeAll(leak);
    assertEquals(0, leak.getSuppressed().length);
    assertEquals(0, table.statistics().memories());
    nic.close();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  private RegistrationCache.Entry take(ByteBuffer buffer) throws TransportException {
    return cache.take(buffer, cache.addressOf(buffer));
  }

  private RegistrationCache.Entry use(ByteBuffer buffer) throws TransportException {
    RegistrationCache.Entry entry = take(buffer);
    entry.release();
    return entry;
  }

  @Test
  void shouldFindEveryPieceOfABufferThroughTheOneRegistration() throws TransportException {
    ByteBuffer whole = buffer(SIZE);
    RegistrationCache.Entry entry = use(whole);
    assertEquals(0, entry.offsetOf(cache.addressOf(whole)));
    ByteBuffer piece = whole.slice(100, 200);
    assertSame(entry, use(piece));
    assertEquals(100, entry.offsetOf(cache.addressOf(piece)));
    assertSame(entry, use(whole.duplicate().position(SIZE - 1)));
    assertEquals(2, cache.hits());
    assertEquals(1, cache.misses());
  }

  @Test
  void shouldAbsorbPiecesThatWereRegisteredBeforeTheirWhole() throws TransportException {
    ByteBuffer whole = buffer(SIZE);
    use(whole.slice(0, 10));
    use(whole.slice(500, 10));
    assertEquals(2, cache.size());
    RegistrationCache.Entry entry = use(whole);
    assertEquals(1, cache.size());
    assertEquals(SIZE, cache.bytes());
    assertSame(entry, use(whole.slice(505, 10)));
    assertEquals(1, table.statistics().memories());
  }

  @Test
  void shouldEvictWhatWasUnusedLongest() throws TransportException {
    ByteBuffer first = buffer(10);
    ByteBuffer second = buffer(10);
    ByteBuffer third = buffer(10);
    use(first);
    use(second);
    use(third);
    use(first);
    use(buffer(10));
    assertEquals(ENTRIES, cache.size());
    assertEquals(1, cache.evictions());
    assertEquals(ENTRIES, table.statistics().memories());
    long misses = cache.misses();
    use(first);
    use(third);
    assertEquals(misses, cache.misses());
    use(second);
    assertEquals(misses + 1, cache.misses());
  }

  @Test
  void shouldEvictUntilTheBytesFit() throws TransportException {
    use(buffer(SIZE));
    use(buffer(SIZE));
    use(buffer(BYTES));
    assertEquals(1, cache.size());
    assertEquals(BYTES, cache.bytes());
    assertEquals(2, cache.evictions());
  }

  @Test
  void shouldKeepWhatIsInUseAndRegisterForOneRequestWhereThereIsNoRoom() throws TransportException {
    RegistrationCache.Entry[] inUse = {take(buffer(10)), take(buffer(10)), take(buffer(10))};
    RegistrationCache.Entry fourth = take(buffer(10));
    assertEquals(ENTRIES, cache.size());
    assertEquals(0, cache.evictions());
    assertEquals(ENTRIES + 1, table.statistics().memories());
    fourth.release();
    assertEquals(ENTRIES, table.statistics().memories());
    for (RegistrationCache.Entry entry : inUse) {
      entry.release();
    }
    // Far longer than all that may stay.
    RegistrationCache.Entry huge = take(buffer(BYTES + 1));
    assertEquals(ENTRIES, cache.size());
    huge.release();
    assertEquals(ENTRIES, table.statistics().memories());
  }

  @Test
  void shouldLetAForgottenBufferGoWithItsLastRequest() throws TransportException {
    ByteBuffer buffer = buffer(SIZE);
    RegistrationCache.Entry entry = take(buffer);
    cache.remove(buffer.slice(10, 1));
    assertEquals(0, cache.size());
    assertEquals(1, table.statistics().memories());
    entry.release();
    assertEquals(0, table.statistics().memories());
  }

  /** As a channel uses it: the offset is asked for when the buffer has been taken. */
  private void send(ByteBuffer buffer) throws TransportException {
    UnregisteredBuffers unregistered = table.unregistered();
    Retained held = unregistered.forSending(buffer);
    assertEquals(buffer.position(), unregistered.offsetOf(held, buffer));
    held.release();
  }

  @Test
  void shouldRememberNoBufferThatItDoesNotKeep() throws TransportException {
    send(buffer(BYTES + 1));
    assertEquals(0, cache.remembered(), "longer than all that may stay");

    RegistrationCache.Entry[] inUse = {take(buffer(10)), take(buffer(10)), take(buffer(10))};
    // Two may share a place, of which the first is then not remembered any more.
    int remembered = cache.remembered();
    send(buffer(SIZE).position(7));
    assertEquals(remembered, cache.remembered(), "no room");
    for (RegistrationCache.Entry entry : inUse) {
      entry.release();
    }

    ByteBuffer kept = buffer(SIZE);
    send(kept);
    use(kept.slice(1, 100));
    assertEquals(1, cache.hits());
    cache.remove(kept);
    send(buffer(BYTES));
    assertEquals(1, cache.remembered());
    cache.remove(buffer(BYTES));
    assertEquals(1, cache.remembered(), "another's");
  }

  @Test
  void shouldStayWithinItsBoundsWhateverThreadsDo() throws Exception {
    ByteBuffer arena = buffer(20 * SIZE);
    long seed = System.nanoTime();
    CompletableFuture<?>[] threads = new CompletableFuture<?>[3];
    for (int i = 0; i < threads.length; i++) {
      Random random = new Random(seed + i);
      threads[i] =
          CompletableFuture.runAsync(() -> hammer(arena, random), each -> new Thread(each).start());
    }
    CompletableFuture.allOf(threads).join();
    assertTrue(cache.size() <= ENTRIES, "seed " + seed);
    assertTrue(cache.bytes() <= BYTES, "seed " + seed);
    assertEquals(cache.size(), table.statistics().memories(), "seed " + seed);
    assertEquals(cache.bytes(), table.statistics().bytes(), "seed " + seed);
  }

  private void hammer(ByteBuffer arena, Random random) {
    Queue<RegistrationCache.Entry> held = new ArrayDeque<>();
    try {
      for (int round = 0; round < 5_000; round++) {
        int at = random.nextInt(arena.capacity());
        int length = 1 + random.nextInt(Math.min(2 * SIZE, arena.capacity() - at));
        ByteBuffer piece = arena.slice(at, length);
        RegistrationCache.Entry entry = take(piece);
        long offset = entry.offsetOf(cache.addressOf(piece));
        assertTrue(offset >= 0 && offset + length <= entry.memory().lengthBytes());
        held.add(entry);
        if (held.size() > 4) {
          held.remove().release();
        }
        if (random.nextInt(100) == 0) {
          cache.remove(piece);
        }
      }
    } catch (TransportException e) {
      throw new AssertionError(e);
    } finally {
      held.forEach(RegistrationCache.Entry::release);
    }
  }
}
