// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Arrays;

/**
 * Pieces of local memory, each with the offset in a peer's memory that it goes to ({@link
 * SendChannel#iput(TransferList, long)}) or comes from ({@link SendChannel#iget(TransferList,
 * long)}). All of them are one request. Reusable: it may be refilled as soon as iput or iget
 * returns, and allocates only while it grows beyond its largest size so far. Confined to one
 * thread.
 */
public final class TransferList {
  /** Max pieces of one list. */
  public static final int MAX_PIECES = 1024;

  private static final int FIRST_CAPACITY = 8;

  private RegisteredMemory[] memories = new RegisteredMemory[FIRST_CAPACITY];
  private long[] offsetsBytes = new long[FIRST_CAPACITY];
  private long[] lengthsBytes = new long[FIRST_CAPACITY];
  private RemoteMemory[] remotes = new RemoteMemory[FIRST_CAPACITY];
  private long[] remoteOffsetsBytes = new long[FIRST_CAPACITY];
  private int size;

  /** Removes all pieces. Returns this list. */
  public TransferList clear() {
    Arrays.fill(memories, 0, size, null);
    Arrays.fill(remotes, 0, size, null);
    size = 0;
    return this;
  }

  /**
   * Adds a piece. Its bounds are checked when the list is put or got.
   *
   * @param memory local, registered with the channel's transport
   * @param offsetBytes where the piece begins in it
   * @param lengthBytes of the piece, 0 or more; of all pieces at most {@link
   *     Transport#MAX_MESSAGE_BYTES}
   * @param remote memory of the channel's peer
   * @param remoteOffsetBytes where the piece begins in it
   * @return this list
   * @throws IllegalStateException if the list has {@value #MAX_PIECES} already
   */
  public TransferList add(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes) {
    if (size == MAX_PIECES) {
      throw new IllegalStateException("a list has at most " + MAX_PIECES + " pieces");
    }
    if (size == memories.length) {
      grow(2 * size);
    }
    memories[size] = memory;
    offsetsBytes[size] = offsetBytes;
    lengthsBytes[size] = lengthBytes;
    remotes[size] = remote;
    remoteOffsetsBytes[size] = remoteOffsetBytes;
    size++;
    return this;
  }

  private void grow(int capacity) {
    memories = Arrays.copyOf(memories, capacity);
    offsetsBytes = Arrays.copyOf(offsetsBytes, capacity);
    lengthsBytes = Arrays.copyOf(lengthsBytes, capacity);
    remotes = Arrays.copyOf(remotes, capacity);
    remoteOffsetsBytes = Arrays.copyOf(remoteOffsetsBytes, capacity);
  }

  /** Number of pieces, 0 to {@value #MAX_PIECES}. */
  public int size() {
    return size;
  }

  /** The local memory of one piece. */
  public RegisteredMemory memory(int index) {
    return memories[index];
  }

  /** Where one piece begins in its local memory, in bytes. */
  public long offsetBytes(int index) {
    return offsetsBytes[index];
  }

  /** Length of one piece in bytes. */
  public long lengthBytes(int index) {
    return lengthsBytes[index];
  }

  /** The remote memory of one piece. */
  public RemoteMemory remote(int index) {
    return remotes[index];
  }

  /** Where one piece begins in its remote memory, in bytes. */
  public long remoteOffsetBytes(int index) {
    return remoteOffsetsBytes[index];
  }
}
