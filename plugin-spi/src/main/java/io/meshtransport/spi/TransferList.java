// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Arrays;

/**
 * Pieces of local memory, each with the place of a peer's memory that it goes to ({@link
 * SendChannel#iput(TransferList, long)}) or comes from ({@link SendChannel#iget(TransferList,
 * long)}): one request, however many there are. Made once, filled again and again; free for
 * refilling as soon as the call that took it returns. Confined to one thread; allocates only while
 * it grows beyond what it ever held.
 */
public final class TransferList {
  /** Most pieces of one list. */
  public static final int MAX_PIECES = 1024;

  private static final int FIRST_CAPACITY = 8;

  private RegisteredMemory[] memories = new RegisteredMemory[FIRST_CAPACITY];
  private long[] offsetsBytes = new long[FIRST_CAPACITY];
  private long[] lengthsBytes = new long[FIRST_CAPACITY];
  private RemoteMemory[] remotes = new RemoteMemory[FIRST_CAPACITY];
  private long[] remoteOffsetsBytes = new long[FIRST_CAPACITY];
  private int size;

  /** Empties it. */
  public TransferList clear() {
    Arrays.fill(memories, 0, size, null);
    Arrays.fill(remotes, 0, size, null);
    size = 0;
    return this;
  }

  /**
   * Adds a piece; bounds are checked when the request is made.
   *
   * @param memory local, registered with the channel's transport
   * @param offsetBytes where the piece begins in it
   * @param lengthBytes of the piece, 0 or more; of all pieces at most {@link
   *     Transport#MAX_MESSAGE_BYTES}
   * @param remote the peer's
   * @param remoteOffsetBytes where the piece begins there
   * @throws IllegalStateException if it has {@value #MAX_PIECES} already
   */
  public TransferList add(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes) {
    if (size == MAX_PIECES) {
      throw new IllegalStateException("a list holds at most " + MAX_PIECES + " pieces");
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

  /** Pieces. */
  public int size() {
    return size;
  }

  public RegisteredMemory memory(int index) {
    return memories[index];
  }

  public long offsetBytes(int index) {
    return offsetsBytes[index];
  }

  public long lengthBytes(int index) {
    return lengthsBytes[index];
  }

  public RemoteMemory remote(int index) {
    return remotes[index];
  }

  public long remoteOffsetBytes(int index) {
    return remoteOffsetsBytes[index];
  }
}
