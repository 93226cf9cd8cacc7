// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An arena that cannot be closed while memory of it is registered. A NIC knows no scopes: it would
 * go on to read and write memory that the arena has freed, and that is another's by then. Java
 * keeps an arena open only for the duration of a call of native code, not for as long as a
 * registration lasts; so the arena itself counts its registrations, and {@link #close} refuses.
 *
 * <p>Any thread may call it, except that the rules of the guarded arena apply to {@link #allocate}
 * and {@link #close}. Created and closed by its user.
 */
public final class MeshArena implements Arena {
  private static final int CLOSING = -1;

  private final Arena arena;

  /** How many registrations have not ended; CLOSING once the arena is being closed. */
  private final AtomicInteger registrations = new AtomicInteger();

  private MeshArena(Arena arena) {
    this.arena = arena;
  }

  /**
   * A new arena whose segments any thread may access, and which any thread may close.
   *
   * @return the caller's to close
   */
  public static MeshArena ofShared() {
    return new MeshArena(Arena.ofShared());
  }

  /**
   * Guards an arena of any kind. What was allocated from it before can be registered, too, and so
   * can files that are mapped into it.
   *
   * <p>An arena that cannot be closed ({@link Arena#ofAuto}, {@link Arena#global}) needs no more: a
   * registration keeps its segment reachable. Any other must be closed through this object alone
   * from now on. Closing it directly is not detected, and frees memory that a NIC may be writing
   * to.
   *
   * @param arena a confined one stays confined: only its thread may access the segments, while NICs
   *     and the transport's threads do not care
   */
  public static MeshArena guarding(Arena arena) {
    return new MeshArena(Objects.requireNonNull(arena, "arena"));
  }

  /**
   * Registers a segment of this arena, or a part of one, with a transport. The arena stays open
   * until the registration has ended: that is when {@link RegisteredSegment#close} was called and
   * the last request that uses it is complete.
   *
   * @param segment native and writable; of any length
   * @param access as for {@link Transport#register(long, long, Set, Object)}
   * @return the caller's to close
   * @throws IllegalArgumentException for a segment of another arena or of the heap, a read-only one
   *     or an empty one
   * @throws IllegalStateException if this arena is closed
   * @throws TransportException as {@link Transport#register(long, long, Set, Object)}
   */
  public RegisteredSegment register(
      Transport transport, MemorySegment segment, Set<RemoteAccess> access)
      throws TransportException {
    requireRegistrable(segment);
    retain();
    boolean isRegistered = false;
    try {
      if (!segment.scope().isAlive()) {
        throw new IllegalStateException("this arena is closed");
      }
      RegisteredMemory memory =
          transport.register(segment.address(), segment.byteSize(), access, segment, this::release);
      isRegistered = true;
      return new RegisteredSegment(memory, segment);
    } finally {
      if (!isRegistered) {
        release();
      }
    }
  }

  /**
   * As {@link #register(Transport, MemorySegment, Set)}, for memory that peers may not put to or
   * get from.
   */
  public RegisteredSegment register(Transport transport, MemorySegment segment)
      throws TransportException {
    return register(transport, segment, Set.of());
  }

  private void requireRegistrable(MemorySegment segment) {
    if (!segment.isNative()) {
      throw new IllegalArgumentException(
          "a heap segment of "
              + segment.byteSize()
              + " bytes: a NIC needs memory that stays where it is; allocate it from this arena");
    }
    if (!segment.scope().equals(arena.scope())) {
      throw new IllegalArgumentException(
          "this segment belongs to another arena, which could be closed while it is registered:"
              + " register it with MeshArena.guarding of that arena");
    }
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException(
          "a read-only segment of " + segment.byteSize() + " bytes cannot be registered");
    }
  }

  private void retain() {
    int now;
    do {
      now = registrations.get();
      if (now == CLOSING) {
        throw new IllegalStateException("this arena is closed");
      }
    } while (!registrations.compareAndSet(now, now + 1));
  }

  private void release() {
    registrations.decrementAndGet();
  }

  /** How many registrations of this arena's memory have not ended. */
  public int registrations() {
    return Math.max(0, registrations.get());
  }

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    return arena.allocate(byteSize, byteAlignment);
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  /**
   * Closes the arena and frees its memory.
   *
   * @throws IllegalStateException if memory of it is still registered, and then it stays open:
   *     close the {@link RegisteredSegment}s and wait for the requests that use them. Also as
   *     {@link Arena#close}
   * @throws UnsupportedOperationException if the guarded arena cannot be closed
   */
  @Override
  public void close() {
    int now = registrations.compareAndExchange(0, CLOSING);
    if (now > 0) {
      throw new IllegalStateException(
          now
              + (now == 1 ? " registration" : " registrations")
              + " of this arena's memory not ended: close the registered segments, and wait"
              + " for the requests that use them");
    }
    try {
      arena.close();
    } catch (RuntimeException e) {
      // It may be open still: a call of native code uses it, say. If not, its scope says so.
      registrations.compareAndSet(CLOSING, 0);
      throw e;
    }
  }
}
