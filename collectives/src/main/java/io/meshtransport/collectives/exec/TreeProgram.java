// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.List;

/**
 * The streams of one operation and the length of their chunks, the same on every rank, and where
 * each rank has the rings that its children write to. A value.
 *
 * @param streams at most {@link #MAX_STREAMS}
 * @param chunkElements max elements of a chunk, 1 or more: those of the longest stream
 * @param longestElements of the streams
 */
public record TreeProgram(List<StreamPlan> streams, int chunkElements, long longestElements)
    implements Program {
  /** Max streams of an operation. */
  public static final int MAX_STREAMS = Notice.MAX_STREAMS;

  /** Alignment of what scratch memory has, in bytes: a cache line. */
  private static final int ALIGNMENT_BYTES = 64;

  private static final int MIN_SLOTS = 8;
  private static final int MANY_RANKS = 8;

  /** Multiples of so many elements are whole cache lines, of any type. */
  private static final int ALIGNMENT_ELEMENTS = ALIGNMENT_BYTES;

  /**
   * How much shorter the chunks of a short stream may be: below, calls cost more than is gained.
   */
  private static final int MAX_SHORTER = 16;

  /** Partial results that are on their way to a parent, where they need memory of their own. */
  static final int PARTIAL_SLOTS = 4;

  /** With the length of its longest stream. */
  public TreeProgram(List<StreamPlan> streams, int chunkElements) {
    this(streams, chunkElements, longest(streams));
  }

  /** Checks all. */
  public TreeProgram {
    streams = List.copyOf(streams);
    long longest = longest(streams);
    if (streams.size() > MAX_STREAMS || chunkElements < 1 || longestElements != longest) {
      throw new IllegalArgumentException(
          "%d streams of up to %d elements, not %d, chunks of %d"
              .formatted(streams.size(), longest, longestElements, chunkElements));
    }
  }

  private static long longest(List<StreamPlan> streams) {
    return streams.stream().mapToLong(StreamPlan::elements).max().orElse(0);
  }

  /**
   * Elements of a chunk of one stream. All streams have about as many chunks: one that carries
   * little does so because its links are slow, and a long chunk would take them as much longer to
   * begin with and to end with.
   */
  int chunkElements(StreamPlan stream) {
    if (longestElements <= chunkElements) {
      return chunkElements;
    }
    double share = (double) stream.elements() / longestElements;
    long elements = Math.max(chunkElements / MAX_SHORTER, (long) (chunkElements * share));
    long aligned = (elements + ALIGNMENT_ELEMENTS) / ALIGNMENT_ELEMENTS * ALIGNMENT_ELEMENTS;
    return (int) Math.min(chunkElements, aligned);
  }

  long chunks(StreamPlan stream) {
    int chunk = chunkElements(stream);
    return (stream.elements() + chunk - 1) / chunk;
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
    return aligned(slotElements(stream) * bytes);
  }

  int partialBytes(StreamPlan stream, Arithmetic arithmetic) {
    return aligned(slotElements(stream) * arithmetic.partialBytes());
  }

  private long slotElements(StreamPlan stream) {
    return Math.min(chunkElements(stream), Math.max(1, stream.elements()));
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
