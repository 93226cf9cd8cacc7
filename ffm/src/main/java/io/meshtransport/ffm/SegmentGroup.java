// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.OneOff;
import io.meshtransport.collectives.Reduction;
import io.meshtransport.spi.Transport;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Collective operations of a {@link Group} on MemorySegments. The rules are those of the method of
 * the same name in Group, which takes counts and offsets where these take segments.
 *
 * <p>The forms with {@link CollectiveOptions} prepare. Their segments are of the {@link MeshArena}
 * of this object, native and writable; they are registered, and the arena cannot be closed until
 * the operation is closed. "In place" means that both segments begin at the same byte, or for
 * blocks, that the one is this rank's block of the other; a result that overlaps what is sent in
 * another way is refused.
 *
 * <p>The forms without options are for a single time, as those of {@link OneOff}, and copy. They
 * take any segment that the calling thread may access, of at most 2 GiB: arrays, mapped files,
 * segments of other arenas. One that is closed during the call makes it throw
 * IllegalStateException.
 *
 * <p>Needs the artifact mesh-collectives. Any thread may call it, as a group. Owns neither the
 * group nor the arena, and has nothing to close.
 */
public final class SegmentGroup {
  private final Group group;
  private final SegmentRegistrar registrar;

  private SegmentGroup(Group group, SegmentRegistrar registrar) {
    this.group = group;
    this.registrar = registrar;
  }

  /**
   * Segment forms of a group's operations.
   *
   * @param transport the one that the group was joined with
   * @param arena of the segments of prepared operations
   */
  public static SegmentGroup of(Group group, Transport transport, MeshArena arena) {
    return new SegmentGroup(
        Objects.requireNonNull(group, "group"), new SegmentRegistrar(group, transport, arena));
  }

  /** The group. */
  public Group group() {
    return group;
  }

  /** Prepares a reduction in place whose result every rank gets. */
  public Collective allReduce(
      MemorySegment values, DataType type, Reduction op, CollectiveOptions options)
      throws CollectiveException {
    return allReduce(values, values, type, op, options);
  }

  /**
   * Prepares a reduction whose result every rank gets.
   *
   * @param from this rank's elements
   * @param to as long
   * @return the caller's to close, which also ends the registrations
   * @throws IllegalArgumentException for lengths that do not fit, for a segment that is of another
   *     arena, of the heap or read-only, and as the method of Group
   */
  public Collective allReduce(
      MemorySegment from, MemorySegment to, DataType type, Reduction op, CollectiveOptions options)
      throws CollectiveException {
    Segments.requireLength("the result", to, from.byteSize());
    long count = Segments.count(from, type);
    return registrar.prepare(
        from,
        to,
        (sent, sentAt, received, receivedAt) ->
            group.allReduce(sent, sentAt, received, receivedAt, count, type, op, options));
  }

  /**
   * Prepares a reduction whose result one rank gets.
   *
   * @param to as long as from; used at the root only
   */
  public Collective reduce(
      MemorySegment from,
      MemorySegment to,
      DataType type,
      Reduction op,
      int root,
      CollectiveOptions options)
      throws CollectiveException {
    Segments.requireLength("the result", to, from.byteSize());
    long count = Segments.count(from, type);
    return registrar.prepare(
        from,
        to,
        (sent, sentAt, received, receivedAt) ->
            group.reduce(sent, sentAt, received, receivedAt, count, type, op, root, options));
  }

  /** Prepares a broadcast: sent from at the root, written at the others. */
  public Collective broadcast(MemorySegment values, int root, CollectiveOptions options)
      throws CollectiveException {
    return registrar.prepare(
        values,
        values,
        (sent, sentAt, received, receivedAt) ->
            group.broadcast(sent, sentAt, values.byteSize(), DataType.I8, root, options));
  }

  /**
   * Prepares an all-gather.
   *
   * @param all size times as long as mine
   */
  public Collective allGather(MemorySegment mine, MemorySegment all, CollectiveOptions options)
      throws CollectiveException {
    Segments.requireLength("what is gathered", all, mine.byteSize() * group.size());
    return registrar.prepare(
        mine,
        all,
        (sent, sentAt, received, receivedAt) ->
            group.allGather(
                sent, sentAt, received, receivedAt, mine.byteSize(), DataType.I8, options));
  }

  /**
   * Prepares a reduction of which rank r gets block r.
   *
   * @param all size times as long as mine
   */
  public Collective reduceScatter(
      MemorySegment all, MemorySegment mine, DataType type, Reduction op, CollectiveOptions options)
      throws CollectiveException {
    Segments.requireLength("what is reduced", all, mine.byteSize() * group.size());
    long count = Segments.count(mine, type);
    return registrar.prepare(
        all,
        mine,
        (sent, sentAt, received, receivedAt) ->
            group.reduceScatter(sent, sentAt, received, receivedAt, count, type, op, options));
  }

  /**
   * Prepares an exchange of blocks.
   *
   * @param to as long as from, which the number of ranks divides
   */
  public Collective allToAll(MemorySegment from, MemorySegment to, CollectiveOptions options)
      throws CollectiveException {
    Segments.requireLength("what is received", to, from.byteSize());
    long block = Segments.block(from, group.size());
    return registrar.prepare(
        from,
        to,
        (sent, sentAt, received, receivedAt) ->
            group.allToAll(sent, sentAt, received, receivedAt, block, DataType.I8, options));
  }

  /** Prepares what one rank sends to another: sent from there, written here. */
  public Collective sendReceive(
      MemorySegment values, int source, int destination, CollectiveOptions options)
      throws CollectiveException {
    return registrar.prepare(
        values,
        values,
        (sent, sentAt, received, receivedAt) ->
            group.sendReceive(
                sent, sentAt, values.byteSize(), DataType.I8, source, destination, options));
  }

  /** As {@link OneOff#allReduce(java.nio.ByteBuffer, DataType, Reduction)}. */
  public void allReduce(MemorySegment values, DataType type, Reduction op)
      throws CollectiveException {
    try (SegmentBytes bytes = SegmentBytes.written(values)) {
      group.allReduce(bytes.buffer(), type, op);
    }
  }

  /** As {@link OneOff#reduce(java.nio.ByteBuffer, DataType, Reduction, int)}. */
  public void reduce(MemorySegment values, DataType type, Reduction op, int root)
      throws CollectiveException {
    try (SegmentBytes bytes = SegmentBytes.written(values)) {
      group.reduce(bytes.buffer(), type, op, root);
    }
  }

  /** As {@link OneOff#broadcast(java.nio.ByteBuffer, int)}. */
  public void broadcast(MemorySegment values, int root) throws CollectiveException {
    try (SegmentBytes bytes =
        root == group.rank() ? SegmentBytes.read(values) : SegmentBytes.written(values)) {
      group.broadcast(bytes.buffer(), root);
    }
  }

  /** As {@link OneOff#allGather(java.nio.ByteBuffer, java.nio.ByteBuffer)}. */
  public void allGather(MemorySegment mine, MemorySegment all) throws CollectiveException {
    try (SegmentBytes sent = SegmentBytes.read(mine);
        SegmentBytes gathered = SegmentBytes.written(all)) {
      group.allGather(sent.buffer(), gathered.buffer());
    }
  }

  /**
   * As {@link OneOff#reduceScatter(java.nio.ByteBuffer, java.nio.ByteBuffer, DataType, Reduction)}.
   */
  public void reduceScatter(MemorySegment all, MemorySegment mine, DataType type, Reduction op)
      throws CollectiveException {
    try (SegmentBytes sent = SegmentBytes.read(all);
        SegmentBytes reduced = SegmentBytes.written(mine)) {
      group.reduceScatter(sent.buffer(), reduced.buffer(), type, op);
    }
  }

  /** As {@link OneOff#allToAll(java.nio.ByteBuffer, java.nio.ByteBuffer)}. */
  public void allToAll(MemorySegment from, MemorySegment to) throws CollectiveException {
    try (SegmentBytes sent = SegmentBytes.read(from);
        SegmentBytes received = SegmentBytes.written(to)) {
      group.allToAll(sent.buffer(), received.buffer());
    }
  }

  /** As {@link OneOff#sendReceive(java.nio.ByteBuffer, int, int)}. */
  public void sendReceive(MemorySegment values, int source, int destination)
      throws CollectiveException {
    boolean isWritten = group.rank() == destination && group.rank() != source;
    try (SegmentBytes bytes =
        isWritten ? SegmentBytes.written(values) : SegmentBytes.read(values)) {
      group.sendReceive(bytes.buffer(), source, destination);
    }
  }
}
