// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.Registration;
import io.meshtransport.transport.device.Registrations;
import io.meshtransport.verbs.DirectMemory;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Registered memory that users acquire and release. Up to 1 MiB in sizes of a power of two, several
 * to a slab of 2 MiB; above, a slab for each. Slabs that are wholly free stay registered up to a
 * bound, the latest used longest. Any thread may call it.
 */
final class MemoryPool {
  /** A large page of x86-64 and aarch64, and 512 of the smallest allocations. */
  static final int SLAB_BYTES = 2 << 20;

  private static final int LARGEST_SHARED_BYTES = SLAB_BYTES / 2;

  /** Large allocations are whole multiples of this, so that similar ones can follow each other. */
  private static final int LARGE_STEP_BYTES = 64 << 10;

  /** A large slab may serve a smaller allocation if no more than 1/4 of that is wasted. */
  private static final int WASTE_SHARE = 4;

  private final Registrations registrations;
  private final long idleBytesAtMost;
  private final TreeMap<Long, Deque<Slab>> withFree = new TreeMap<>();
  private final Set<Slab> idle = new LinkedHashSet<>();
  private long idleBytes;
  private boolean isClosed;

  /** A place in a slab. */
  record Place(Slab slab, int index) {
    List<ByteBuffer> buffers(long lengthBytes) {
      return slab.buffers(index, lengthBytes);
    }

    long startBytes() {
      return slab.startBytes(index);
    }
  }

  /**
   * @param idleBytesAtMost that stay registered while no user has any of them
   */
  MemoryPool(Registrations registrations, long idleBytesAtMost) {
    this.registrations = registrations;
    this.idleBytesAtMost = idleBytesAtMost;
  }

  /**
   * Lends memory; {@link #giveBack} takes it back.
   *
   * @throws VerbsException if it cannot be registered
   * @throws TransportException if there is not so much memory
   */
  synchronized Place take(long lengthBytes) throws VerbsException, TransportException {
    Slab slab = find(lengthBytes);
    if (slab == null) {
      slab = make(placeBytes(lengthBytes));
      withFree.computeIfAbsent(slab.placeBytes(), size -> new ArrayDeque<>()).push(slab);
    } else if (idle.remove(slab)) {
      idleBytes -= slab.lengthBytes();
    }
    int index = slab.take();
    if (!slab.hasFree()) {
      remove(slab);
    }
    return new Place(slab, index);
  }

  private Slab find(long lengthBytes) {
    Map.Entry<Long, Deque<Slab>> fitting = withFree.ceilingEntry(placeBytes(lengthBytes));
    if (fitting == null) {
      return null;
    }
    boolean isShared = lengthBytes <= LARGEST_SHARED_BYTES;
    long atMost = isShared ? placeBytes(lengthBytes) : lengthBytes + lengthBytes / WASTE_SHARE;
    return fitting.getKey() <= Math.max(atMost, placeBytes(lengthBytes))
        ? fitting.getValue().peek()
        : null;
  }

  private static long placeBytes(long lengthBytes) {
    if (lengthBytes <= LARGEST_SHARED_BYTES) {
      long atLeast = Math.max(lengthBytes, Transport.ALLOCATION_ALIGNMENT_BYTES);
      return Long.highestOneBit(2 * atLeast - 1);
    }
    return (lengthBytes + LARGE_STEP_BYTES - 1) / LARGE_STEP_BYTES * LARGE_STEP_BYTES;
  }

  private Slab make(long placeBytes) throws VerbsException, TransportException {
    int places = placeBytes <= LARGEST_SHARED_BYTES ? (int) (SLAB_BYTES / placeBytes) : 1;
    List<ByteBuffer> segments = newMemory(placeBytes * places);
    return new Slab(segments, register(segments), placeBytes, places);
  }

  /** New memory, aligned. */
  static List<ByteBuffer> newMemory(long lengthBytes) throws TransportException {
    try {
      return DirectMemory.allocate(lengthBytes, Transport.ALLOCATION_ALIGNMENT_BYTES);
    } catch (OutOfMemoryError e) {
      throw new TransportException(
          TransportException.Reason.NO_RESOURCES,
          lengthBytes
              + " bytes of memory outside the heap are not to be had: "
              + e.getMessage()
              + ". Close what is not needed, or raise -XX:MaxDirectMemorySize.",
          e);
    }
  }

  /** Idle memory counts against the system's limits, too: it goes before anybody is refused. */
  private Registration register(List<ByteBuffer> segments) throws VerbsException {
    try {
      return registrations.make(segments, Set.<RemoteAccess>of());
    } catch (VerbsException e) {
      if (idle.isEmpty()) {
        throw e;
      }
      trimTo(0);
      return registrations.make(segments, Set.<RemoteAccess>of());
    }
  }

  synchronized void giveBack(Place place) {
    Slab slab = place.slab();
    boolean wasFull = !slab.hasFree();
    slab.giveBack(place.index());
    if (wasFull) {
      withFree.computeIfAbsent(slab.placeBytes(), size -> new ArrayDeque<>()).push(slab);
    }
    if (slab.isIdle()) {
      idle.add(slab);
      idleBytes += slab.lengthBytes();
      trimTo(isClosed ? 0 : idleBytesAtMost);
    }
  }

  private void trimTo(long bytes) {
    while (idleBytes > bytes) {
      Slab eldest = idle.iterator().next();
      idle.remove(eldest);
      idleBytes -= eldest.lengthBytes();
      remove(eldest);
      registrations.end(eldest.registration(), eldest.lengthBytes());
    }
  }

  private void remove(Slab slab) {
    Deque<Slab> same = withFree.get(slab.placeBytes());
    same.remove(slab);
    if (same.isEmpty()) {
      withFree.remove(slab.placeBytes());
    }
  }

  /** Bytes that are registered and wholly free. */
  synchronized long idleBytes() {
    return idleBytes;
  }

  /**
   * Keeps nothing any more; what is still lent out ends when it comes back.
   *
   * @param leak what could not be deregistered is added to it
   */
  synchronized void close(Exception leak) {
    isClosed = true;
    try {
      trimTo(0);
    } catch (IllegalStateException e) {
      leak.addSuppressed(e);
    }
  }
}
