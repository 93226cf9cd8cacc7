// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.List;

/**
 * The streams of one operation and the length of their chunks, the same on every rank, and where
 * each rank has the rings that its children write to. A value.
 *
 * @param streams at most {@link #MAX_STREAMS}
 * @param chunkElements max elements of a chunk, 1 or more
 */
public record TreeProgram(List<StreamPlan> streams, int chunkElements) implements Program {
  /** Max streams of an operation. */
  public static final int MAX_STREAMS = Notice.MAX_STREAMS;

  /** Alignment of what scratch memory has, in bytes: a cache line. */
  private static final int ALIGNMENT_BYTES = 64;

  private static final int MIN_SLOTS = 8;
  private static final int MANY_RANKS = 8;

  /** Partial results that are on their way to a parent, where they need memory of their own. */
  static final int PARTIAL_SLOTS = 4;

  /** Checks both. */
  public TreeProgram {
    streams = List.copyOf(streams);
    if (streams.size() > MAX_STREAMS || chunkElements < 1) {
      throw new IllegalArgumentException(
          streams.size() + " streams, chunks of " + chunkElements + " elements");
    }
  }

  long chunks(StreamPlan stream) {
    return (stream.elements() + chunkElements - 1) / chunkElements;
  }

  /**
   * Slots of a ring: enough that chunks may be on their way to the root and credits on their way
   * back behind what else is queued there, and no more than two runs use. Ranks of large groups
   * have many rings.
   */
  int ringSlots(StreamPlan stream) {
    int few = 2 * stream.depth() + 2;
    int enough = stream.parents().length <= MANY_RANKS ? Math.max(few, MIN_SLOTS) : few;
    return (int) Math.max(2, Math.min(enough, 2 * chunks(stream)));
  }

  /**
   * Whether a child needs credits for its ring. Not where that holds two runs of a stream up and
   * down: a rank that starts a run has the results of the one before, for which all chunks of that
   * were folded, and all ranks have started it, so that what they sent in the one before that has
   * arrived.
   */
  boolean needsCredits(StreamPlan stream) {
    return !stream.goesUp() || !stream.goesDown() || ringSlots(stream) < 2 * chunks(stream);
  }

  /** Bytes of a slot for what a child sends. */
  int slotBytes(StreamPlan stream, int child, Arithmetic arithmetic) {
    int bytes = stream.isRaw(child) ? arithmetic.elementBytes() : arithmetic.partialBytes();
    long elements = Math.min(chunkElements, Math.max(1, stream.elements()));
    return aligned(elements * bytes);
  }

  int partialBytes(StreamPlan stream, Arithmetic arithmetic) {
    long elements = Math.min(chunkElements, Math.max(1, stream.elements()));
    return aligned(elements * arithmetic.partialBytes());
  }

  private static int aligned(long bytes) {
    return Math.toIntExact((bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES);
  }

  /** Whether a rank accumulates in memory of its own, not in what its children sent. */
  boolean hasPartials(StreamPlan stream, int rank, Arithmetic arithmetic) {
    return stream.goesUp()
        && stream.has(rank)
        && stream.source() == StreamPlan.EVERY_RANK
        && stream.children(rank).length > 0
        && arithmetic.isWidening();
  }

  /** Where the ring for a child begins in a rank's scratch memory. */
  long ringBytes(int stream, int rank, int child, Arithmetic arithmetic) {
    return layout(stream, rank, child, arithmetic);
  }

  /** Where a rank's own partial results begin in its scratch memory. */
  long partialsAt(int stream, int rank, Arithmetic arithmetic) {
    return layout(stream, rank, Integer.MAX_VALUE, arithmetic);
  }

  @Override
  public boolean writesResults(int rank) {
    return streams.stream()
        .anyMatch(each -> each.goesDown() && each.has(rank) && !each.isRoot(rank));
  }

  /** The root of a star gets the elements of all ranks as they are. */
  @Override
  public boolean isInRankOrder() {
    return streams.stream().allMatch(each -> each.depth() <= 1);
  }

  @Override
  public long scratchBytes(int rank, Arithmetic arithmetic) {
    return layout(streams.size(), rank, 0, arithmetic);
  }

  /** Bytes before the place of a child in a stream. */
  private long layout(int untilStream, int rank, int untilChild, Arithmetic arithmetic) {
    long at = 0;
    for (int i = 0; i <= untilStream && i < streams.size(); i++) {
      StreamPlan stream = streams.get(i);
      if (!stream.goesUp() || !stream.has(rank)) {
        continue;
      }
      for (int child : stream.children(rank)) {
        if (i == untilStream && child >= untilChild) {
          return at;
        }
        at += (long) ringSlots(stream) * slotBytes(stream, child, arithmetic);
      }
      if (i < untilStream && hasPartials(stream, rank, arithmetic)) {
        at += (long) PARTIAL_SLOTS * partialBytes(stream, arithmetic);
      }
    }
    return at;
  }
}
