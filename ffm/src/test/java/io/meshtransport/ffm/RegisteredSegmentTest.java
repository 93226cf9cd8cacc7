// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.testing.AllocationCounter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegisteredSegmentTest {
  private static final long NO_DEADLINE = SendChannel.NO_DEADLINE;
  private static final int SIZE = 4096;

  private FfmNodes nodes;

  @BeforeEach
  void open() throws Exception {
    nodes = FfmNodes.open();
  }

  @AfterEach
  void close() {
    nodes.close();
  }

  @Test
  void shouldViewMemoryThatIsRegisteredAlready() throws Exception {
    ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE).position(5).limit(9);
    RegisteredSegment view = RegisteredSegment.of(nodes.left().register(buffer));
    assertEquals(SIZE, view.segment().byteSize());
    assertEquals(view.memory().address(), view.segment().address());
    view.segment().set(ValueLayout.JAVA_BYTE, 4095, (byte) 8);
    assertEquals(8, buffer.clear().get(4095));
    view.close();
    assertThrows(IllegalStateException.class, () -> RegisteredSegment.of(view.memory()));
  }

  @Test
  void shouldViewMemoryOfSeveralBuffersAsOneSegment() throws Exception {
    ByteBuffer whole = ByteBuffer.allocateDirect(SIZE);
    List<ByteBuffer> halves = List.of(whole.slice(0, 100), whole.slice(100, SIZE - 100));
    RegisteredSegment view =
        RegisteredSegment.of(nodes.left().register(halves, EnumSet.noneOf(RemoteAccess.class)));
    assertEquals(SIZE, view.segment().byteSize());
    view.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 98, -1);
    assertEquals(-1, whole.getInt(98));
    RegisteredMemory apart =
        nodes
            .left()
            .register(
                List.of(whole.slice(2000, 8), whole.slice(0, 8)),
                EnumSet.noneOf(RemoteAccess.class));
    assertThrows(IllegalStateException.class, () -> RegisteredSegment.of(apart));
  }

  @Test
  void shouldSendReceivePutAndGetSlices() throws Exception {
    try (MeshArena arena = MeshArena.ofShared();
        RegisteredSegment here = arena.register(nodes.left(), arena.allocate(SIZE));
        RegisteredSegment there =
            arena.register(
                nodes.right(), arena.allocate(SIZE), EnumSet.allOf(RemoteAccess.class))) {
      for (int i = 0; i < SIZE; i++) {
        here.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 >>> 3));
      }
      long receive = there.irecv(nodes.in(), there.segment().asSlice(50, 200), 7, NO_DEADLINE);
      here.send(nodes.out(), here.segment().asSlice(1000, 150), 7, FfmNodes.PATIENCE);
      assertEquals(150, nodes.in().await(receive, FfmNodes.PATIENCE));
      assertEquals(
          -1, here.segment().asSlice(1000, 150).mismatch(there.segment().asSlice(50, 150)));
      assertEquals(0, there.segment().get(ValueLayout.JAVA_BYTE, 49));
      assertEquals(0, there.segment().get(ValueLayout.JAVA_BYTE, 200));

      CompletableFuture<Long> receiving =
          CompletableFuture.supplyAsync(() -> received(there, there.segment().asSlice(0, 8)));
      here.send(nodes.out(), here.segment().asSlice(8, 8), 7, FfmNodes.PATIENCE);
      assertEquals(8, receiving.join());
      assertEquals(-1, here.segment().asSlice(8, 8).mismatch(there.segment().asSlice(0, 8)));

      RemoteMemory remote = nodes.left().remoteMemory(there.memory().remoteKey());
      long put = here.iput(nodes.out(), here.segment().asSlice(10, 100), remote, 3000, NO_DEADLINE);
      assertEquals(100, nodes.out().await(put, FfmNodes.PATIENCE));
      assertEquals(
          -1, here.segment().asSlice(10, 100).mismatch(there.segment().asSlice(3000, 100)));
      long get =
          here.iget(nodes.out(), here.segment().asSlice(2000, 100), remote, 3000, NO_DEADLINE);
      assertEquals(100, nodes.out().await(get, FfmNodes.PATIENCE));
      assertEquals(-1, here.segment().asSlice(10, 100).mismatch(here.segment().asSlice(2000, 100)));
    }
  }

  private long received(RegisteredSegment into, MemorySegment piece) {
    try {
      return into.receive(nodes.in(), piece, 7, FfmNodes.PATIENCE);
    } catch (TransportException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void shouldPassUserDataOn() throws Exception {
    List<Object> calls = new ArrayList<>();
    Connection connection =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  calls.addAll(List.of(arguments));
                  return 5L;
                });
    RegisteredSegment view = RegisteredSegment.of(nodes.left().allocate(SIZE));
    MemorySegment piece = view.segment().asSlice(8, 16);
    assertEquals(5, view.isend(connection, piece, 1, 2, 3));
    assertEquals(5, view.irecv(connection, piece, 4, 5, 6));
    assertEquals(
        List.of(
            "isend", view.memory(), 8L, 16L, 1, 2L, 3L, "irecv", view.memory(), 8L, 16L, 4, 5L, 6L),
        calls);
  }

  @Test
  void shouldRefusePiecesOfOtherMemory() throws Exception {
    RegisteredSegment view = RegisteredSegment.of(nodes.left().allocate(SIZE));
    RegisteredSegment part =
        RegisteredSegment.of(
            nodes
                .left()
                .register(
                    view.memory().address() + 100, 100, EnumSet.noneOf(RemoteAccess.class), view));
    assertEquals(0, part.offsetOf(view.segment().asSlice(100, 100)));
    assertEquals(100, part.offsetOf(view.segment().asSlice(200, 0)));
    for (MemorySegment bad :
        new MemorySegment[] {
          MemorySegment.NULL,
          MemorySegment.ofArray(new byte[10]),
          Arena.global().allocate(10),
          view.segment(),
          view.segment().asSlice(99, 10),
          view.segment().asSlice(101, 100),
          view.segment().asSlice(201, 0),
        }) {
      assertThrows(
          IllegalArgumentException.class,
          () -> part.isend(nodes.out(), bad, 1, NO_DEADLINE),
          bad.toString());
    }
  }

  @Test
  void shouldAllocateNothingOnceWarm() throws Exception {
    RegisteredSegment from = RegisteredSegment.of(nodes.left().allocate(SIZE));
    RegisteredSegment to = RegisteredSegment.of(nodes.right().allocate(SIZE));
    MemorySegment source = from.segment().asSlice(0, 64);
    MemorySegment sink = to.segment().asSlice(64, 64);
    int messages = 2_000;
    AllocationCounter.ofThisThread()
        .expectFewerBytes(
            messages,
            20,
            () -> {
              for (int i = 0; i < messages; i++) {
                long receive = to.irecv(nodes.in(), sink, 1, NO_DEADLINE);
                long send = from.isend(nodes.out(), source, 1, NO_DEADLINE);
                finish(send, receive);
              }
            });
  }

  private void finish(long send, long receive) {
    boolean isSent = false;
    boolean isReceived = false;
    while (!isSent || !isReceived) {
      isSent = isSent || nodes.out().test(send) == 64;
      isReceived = isReceived || nodes.in().test(receive) == 64;
    }
  }
}
