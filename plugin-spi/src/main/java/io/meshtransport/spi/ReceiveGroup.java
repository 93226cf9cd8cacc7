// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Arrays;

/**
 * Up to {@link Transport#MAX_GROUP} receives that make one request. Made once, filled again and
 * again; confined to one thread.
 */
public final class ReceiveGroup {
  private final RegisteredMemory[] memories = new RegisteredMemory[Transport.MAX_GROUP];
  private final long[] offsetsBytes = new long[Transport.MAX_GROUP];
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];
  private final int[] tags = new int[Transport.MAX_GROUP];
  private int size;

  /** Empties it. */
  public ReceiveGroup clear() {
    Arrays.fill(memories, 0, size, null);
    size = 0;
    return this;
  }

  /**
   * Adds room for one message; bounds are checked when the request is made.
   *
   * @throws IllegalStateException if the group is full
   */
  public ReceiveGroup add(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    if (size == Transport.MAX_GROUP) {
      throw new IllegalStateException("a group holds at most " + Transport.MAX_GROUP + " receives");
    }
    memories[size] = memory;
    offsetsBytes[size] = offsetBytes;
    lengthsBytes[size] = lengthBytes;
    tags[size] = tag;
    size++;
    return this;
  }

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

  public int tag(int index) {
    return tags[index];
  }
}
