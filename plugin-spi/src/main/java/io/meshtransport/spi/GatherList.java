// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Arrays;

/**
 * Pieces of local memory that are one message, one after the other ({@link
 * SendChannel#isend(GatherList, int, long)}): a header and its body, or a buffer of several parts.
 * Reusable: it may be refilled as soon as isend returns, and allocates only while it grows beyond
 * its largest size so far. Confined to one thread.
 */
public final class GatherList {
  /** Max pieces of one list. */
  public static final int MAX_PIECES = TransferList.MAX_PIECES;

  private static final int FIRST_CAPACITY = 4;

  private RegisteredMemory[] memories = new RegisteredMemory[FIRST_CAPACITY];
  private long[] offsetsBytes = new long[FIRST_CAPACITY];
  private long[] lengthsBytes = new long[FIRST_CAPACITY];
  private int size;

  /** Removes all pieces. Returns this list. */
  public GatherList clear() {
    Arrays.fill(memories, 0, size, null);
    size = 0;
    return this;
  }

  /**
   * Adds a piece behind the others. Its bounds are checked when the list is sent.
   *
   * @param memory registered with the channel's transport
   * @param offsetBytes where the piece begins in it
   * @param lengthBytes of the piece, 0 or more; of all pieces at most {@link
   *     Transport#MAX_MESSAGE_BYTES}
   * @return this list
   * @throws IllegalStateException if the list has {@value #MAX_PIECES} already
   */
  public GatherList add(RegisteredMemory memory, long offsetBytes, long lengthBytes) {
    if (size == MAX_PIECES) {
      throw new IllegalStateException("a list has at most " + MAX_PIECES + " pieces");
    }
    if (size == memories.length) {
      memories = Arrays.copyOf(memories, 2 * size);
      offsetsBytes = Arrays.copyOf(offsetsBytes, 2 * size);
      lengthsBytes = Arrays.copyOf(lengthsBytes, 2 * size);
    }
    memories[size] = memory;
    offsetsBytes[size] = offsetBytes;
    lengthsBytes[size] = lengthBytes;
    size++;
    return this;
  }

  /** Number of pieces, 0 to {@value #MAX_PIECES}. */
  public int size() {
    return size;
  }

  /** The memory of one piece. */
  public RegisteredMemory memory(int index) {
    return memories[index];
  }

  /** Where one piece begins in its memory, in bytes. */
  public long offsetBytes(int index) {
    return offsetsBytes[index];
  }

  /** Length of one piece in bytes. */
  public long lengthBytes(int index) {
    return lengthsBytes[index];
  }
}
