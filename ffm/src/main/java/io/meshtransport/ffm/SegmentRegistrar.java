// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.Group;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Registers the segments of operations for as long as those are prepared. Any thread. */
final class SegmentRegistrar {
  private final Group group;
  private final Transport transport;
  private final MeshArena arena;

  SegmentRegistrar(Group group, Transport transport, MeshArena arena) {
    this.group = group;
    this.transport = Objects.requireNonNull(transport, "transport");
    this.arena = Objects.requireNonNull(arena, "arena");
  }

  /** Prepares an operation on registered memory. */
  interface Preparing {
    Collective prepare(RegisteredMemory sent, long sentAt, RegisteredMemory received, long at)
        throws CollectiveException;
  }

  /** Two that overlap are one registration, so that the group sees how they do. */
  Collective prepare(MemorySegment from, MemorySegment to, Preparing preparing)
      throws CollectiveException {
    List<AutoCloseable> owned = new ArrayList<>();
    boolean isPrepared = false;
    try {
      Collective operation;
      if (Segments.contains(to, from)) {
        Place all = register(to, owned);
        operation = preparing.prepare(all.memory(), all.at(from), all.memory(), 0);
      } else if (Segments.contains(from, to)) {
        Place all = register(from, owned);
        operation = preparing.prepare(all.memory(), 0, all.memory(), all.at(to));
      } else {
        requireApart(from, to);
        Place sent = register(from, owned);
        Place received = register(to, owned);
        operation = preparing.prepare(sent.memory(), 0, received.memory(), 0);
      }
      isPrepared = true;
      return new SegmentCollective(operation, owned);
    } finally {
      if (!isPrepared) {
        SegmentCollective.closeAll(owned);
      }
    }
  }

  private static void requireApart(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent()) {
      throw new IllegalArgumentException(
          "what is sent and what is received overlap, and are not in place");
    }
  }

  /** Memory that begins where a segment does. */
  private record Place(RegisteredMemory memory, MemorySegment segment) {
    long at(MemorySegment piece) {
      return piece.address() - segment.address();
    }
  }

  /** A segment of no bytes cannot be registered; a byte of the group's stands for it. */
  private Place register(MemorySegment segment, List<AutoCloseable> owned)
      throws CollectiveException {
    if (segment.byteSize() == 0) {
      RegisteredMemory nothing = group.allocate(1);
      owned.add(nothing::close);
      return new Place(nothing, segment);
    }
    try {
      RegisteredSegment registered =
          arena.register(transport, segment, Set.of(RemoteAccess.PUT, RemoteAccess.GET));
      owned.add(registered);
      return new Place(registered.memory(), segment);
    } catch (TransportException e) {
      throw new CollectiveException(
          CollectiveException.Reason.RESOURCES,
          CollectiveException.NO_RANK,
          "",
          "registering a segment of " + segment.byteSize() + " bytes: " + e.summary(),
          e);
    }
  }
}
