// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MeshArenaTest {
  private static final long NO_DEADLINE = SendChannel.NO_DEADLINE;
  private static final int SIZE = 4096;

  private FfmNodes nodes;

  @TempDir Path folder;

  @BeforeEach
  void open() throws Exception {
    nodes = FfmNodes.open();
  }

  @AfterEach
  void close() {
    nodes.close();
  }

  @Test
  void shouldRefuseToCloseWhileMemoryOfItIsRegistered() throws Exception {
    MeshArena arena = MeshArena.ofShared();
    MemorySegment segment = arena.allocate(SIZE);
    RegisteredSegment first = arena.register(nodes.left(), segment);
    RegisteredSegment second = arena.register(nodes.right(), segment.asSlice(10, 20));
    assertEquals(2, arena.registrations());
    assertThrows(IllegalStateException.class, arena::close);
    assertTrue(arena.scope().isAlive());
    segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    first.close();
    first.close();
    assertThrows(IllegalStateException.class, arena::close);
    second.close();
    arena.close();
    assertFalse(arena.scope().isAlive());
    assertThrows(IllegalStateException.class, arena::close);
  }

  @Test
  void shouldRefuseToCloseWhileARequestUsesMemoryThatIsDeregistered() throws Exception {
    MeshArena here = MeshArena.ofShared();
    MeshArena there = MeshArena.ofShared();
    RegisteredSegment from = here.register(nodes.left(), here.allocate(SIZE));
    RegisteredSegment to = there.register(nodes.right(), there.allocate(SIZE));
    from.segment().fill((byte) 7);
    long send = from.isend(nodes.out(), from.segment(), 1, NO_DEADLINE);
    from.close();
    assertThrows(IllegalStateException.class, here::close);

    long receive = to.irecv(nodes.in(), to.segment(), 1, NO_DEADLINE);
    assertEquals(SIZE, nodes.out().await(send, FfmNodes.PATIENCE));
    assertEquals(SIZE, nodes.in().await(receive, FfmNodes.PATIENCE));
    assertEquals(-1, from.segment().mismatch(to.segment()));
    here.close();
    to.close();
    there.close();
  }

  @Test
  void shouldCloseOnceTheTransportIsClosed() throws Exception {
    MeshArena arena = MeshArena.ofShared();
    RegisteredSegment segment = arena.register(nodes.left(), arena.allocate(SIZE));
    segment.isend(nodes.out(), segment.segment(), 1, NO_DEADLINE);
    nodes.left().close();
    assertEquals(0, arena.registrations());
    arena.close();
  }

  @Test
  void shouldKeepMemoryOfAnAutomaticArenaWhileItIsRegistered() throws Exception {
    AtomicInteger freed = new AtomicInteger();
    RegisteredSegment to = RegisteredSegment.of(nodes.right().allocate(SIZE));
    RegisteredSegment registered = registeredAutomatically(freed);
    for (int i = 0; i < 5; i++) {
      System.gc();
    }
    assertEquals(0, freed.get());
    registered.memory().segments().get(0).put(0, (byte) 42);
    long send = nodes.out().isend(registered.memory(), 0, SIZE, 1);
    long receive = to.irecv(nodes.in(), to.segment(), 1, NO_DEADLINE);
    assertEquals(SIZE, nodes.out().await(send, FfmNodes.PATIENCE));
    assertEquals(SIZE, nodes.in().await(receive, FfmNodes.PATIENCE));
    assertEquals(42, to.segment().get(ValueLayout.JAVA_BYTE, 0));
    registered.close();
    registered = null;
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () -> {
              System.gc();
              return freed.get() == 1;
            });
  }

  /** Of an arena that only the registration can keep. */
  @SuppressWarnings("restricted")
  private RegisteredSegment registeredAutomatically(AtomicInteger freed) throws Exception {
    Arena automatic = Arena.ofAuto();
    MemorySegment segment =
        automatic.allocate(SIZE).reinterpret(automatic, gone -> freed.incrementAndGet());
    MeshArena guard = MeshArena.guarding(automatic);
    assertThrows(UnsupportedOperationException.class, guard::close);
    return guard.register(nodes.left(), segment);
  }

  @Test
  void shouldRegisterWhatNobodyCanClose() throws Exception {
    MeshArena global = MeshArena.guarding(Arena.global());
    try (RegisteredSegment all = global.register(nodes.left(), Arena.global().allocate(SIZE))) {
      assertEquals(SIZE, all.memory().lengthBytes());
      assertThrows(IllegalStateException.class, global::close);
    }
    assertThrows(UnsupportedOperationException.class, global::close);
    global.register(nodes.left(), Arena.global().allocate(SIZE)).close();
  }

  @Test
  void shouldGuardAConfinedArenaForItsThread() throws Exception {
    MeshArena arena = MeshArena.guarding(Arena.ofConfined());
    RegisteredSegment from = arena.register(nodes.left(), arena.allocate(SIZE));
    RegisteredSegment to = RegisteredSegment.of(nodes.right().allocate(SIZE));
    from.segment().fill((byte) 3);
    long receive = to.irecv(nodes.in(), to.segment(), 1, NO_DEADLINE);
    // The owner of the channel is another thread than that of the arena.
    CompletableFuture.runAsync(
            () -> {
              long send = from.isend(nodes.out(), from.segment(), 1, NO_DEADLINE);
              assertEquals(SIZE, nodes.out().await(send, FfmNodes.PATIENCE));
            })
        .join();
    assertEquals(SIZE, nodes.in().await(receive, FfmNodes.PATIENCE));
    assertEquals(-1, from.segment().mismatch(to.segment()));
    from.close();
    // Its thread alone may close it; then it is open still, and can be used.
    assertThrows(RuntimeException.class, () -> CompletableFuture.runAsync(arena::close).join());
    arena.register(nodes.left(), arena.allocate(1)).close();
    arena.close();
  }

  @Test
  void shouldRefuseWhatCannotBeRegistered() throws Exception {
    MeshArena arena = MeshArena.ofShared();
    MemorySegment segment = arena.allocate(SIZE);
    for (MemorySegment bad :
        new MemorySegment[] {
          MemorySegment.ofArray(new byte[8]),
          segment.asReadOnly(),
          segment.asSlice(SIZE),
          Arena.ofAuto().allocate(SIZE),
          Arena.global().allocate(SIZE),
          MemorySegment.NULL,
        }) {
      assertThrows(
          IllegalArgumentException.class, () -> arena.register(nodes.left(), bad), bad.toString());
    }
    assertEquals(0, arena.registrations());
    nodes.left().close();
    TransportException closed =
        assertThrows(TransportException.class, () -> arena.register(nodes.left(), segment));
    assertEquals(TransportException.Reason.CLOSED, closed.reason());
    assertEquals(0, arena.registrations());
    arena.close();
    assertThrows(IllegalStateException.class, () -> arena.register(nodes.right(), segment));
  }

  @Test
  void shouldRegisterFilesOfMoreThanTwoGibibytes() throws Exception {
    long length = (2L << 30) + 3 * SIZE;
    Path file = folder.resolve("sparse");
    try (MeshArena arena = MeshArena.ofShared();
        FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
      try (RegisteredSegment from = arena.register(nodes.left(), mapped);
          RegisteredSegment to = RegisteredSegment.of(nodes.right().allocate(2 * SIZE))) {
        assertEquals(length, from.memory().lengthBytes());
        // Across the end of a segment of 1 GiB, and beyond what an int can say.
        for (long at : new long[] {(1L << 30) - SIZE, (2L << 30) - SIZE, length - 2 * SIZE}) {
          MemorySegment piece = mapped.asSlice(at, 2 * SIZE);
          piece.fill((byte) (at >>> 13));
          piece.set(ValueLayout.JAVA_BYTE, SIZE, (byte) 99);
          long send = from.isend(nodes.out(), piece, 1, NO_DEADLINE);
          long receive = to.irecv(nodes.in(), to.segment(), 1, NO_DEADLINE);
          assertEquals(2 * SIZE, nodes.out().await(send, FfmNodes.PATIENCE));
          assertEquals(2 * SIZE, nodes.in().await(receive, FfmNodes.PATIENCE));
          assertEquals(-1, piece.mismatch(to.segment()));
        }
      }
    }
  }
}
