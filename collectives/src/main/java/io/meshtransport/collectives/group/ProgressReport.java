// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Engine;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * How far a rank is with a run whose deadline is near on some rank, in network byte order.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |             operation             |   u32, below 4096
 *  +--------+--------+--------+--------+
 *  |                                   |
 *  |                run                |   u64, from 1
 *  +--------+--------+--------+--------+
 *  |                                   |
 *  |              starts               |   u64, runs of it that the rank has started
 *  +--------+--------+--------+--------+
 *  |                                   |
 *  |             waits for             |   a bit for each rank, the lowest for rank 0
 *  +--------+--------+--------+--------+
 *  |              instead              |   i32, operation that it runs and this run has not; or -1
 *  +--------+--------+--------+--------+
 *  |                                   |
 *  |            instead run            |   u64, of that operation
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * @param waitsFor neighbours of whom something has not come: of this run if the rank has started
 *     it, else of whatever it has started and not completed
 * @param instead which operation it runs if it has not started this run; {@link Engine#NONE} for
 *     none
 * @param insteadRun the run of that one
 */
record ProgressReport(
    int operation, long run, long starts, long waitsFor, int instead, long insteadRun) {
  private static final int BYTES = 2 * Integer.BYTES + 4 * Long.BYTES;

  /** Of a rank that has started the run, or runs nothing. */
  ProgressReport(int operation, long run, long starts, long waitsFor) {
    this(operation, run, starts, waitsFor, Engine.NONE, 0);
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES)
        .putInt(operation)
        .putLong(run)
        .putLong(starts)
        .putLong(waitsFor)
        .putInt(instead)
        .putLong(insteadRun)
        .array();
  }

  /** Empty for what is no report in a group of this size. */
  static Optional<ProgressReport> decode(byte[] body, int size) {
    if (body.length != BYTES) {
      return Optional.empty();
    }
    ByteBuffer in = ByteBuffer.wrap(body);
    ProgressReport read =
        new ProgressReport(
            in.getInt(), in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getLong());
    return read.isPossible(size) ? Optional.of(read) : Optional.empty();
  }

  private boolean isPossible(int size) {
    boolean isOperation = operation >= 0 && operation < Engine.MAX_OPERATIONS;
    boolean isOfRanks = Long.SIZE - Long.numberOfLeadingZeros(waitsFor) <= size;
    boolean isOther = instead >= Engine.NONE && instead < Engine.MAX_OPERATIONS && insteadRun >= 0;
    return isOperation && run >= 1 && starts >= 0 && isOfRanks && isOther;
  }

  boolean waitsFor(int rank) {
    return (waitsFor >>> rank & 1) != 0;
  }
}
