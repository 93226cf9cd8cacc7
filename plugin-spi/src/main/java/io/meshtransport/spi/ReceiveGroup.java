// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Arrays;

/**
 * Up to {@link Transport#MAX_GROUP} receives that are posted as one request ({@link
 * ReceiveChannel#irecv(ReceiveGroup, long)}). Reusable: refilling allocates nothing. Confined to
 * one thread.
 */
public final class ReceiveGroup {
  private final RegisteredMemory[] memories = new RegisteredMemory[Transport.MAX_GROUP];
  private final long[] offsetsBytes = new long[Transport.MAX_GROUP];
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];
  private final int[] tags = new int[Transport.MAX_GROUP];
  private int size;

  /** Removes all receives. Returns this group. */
  public ReceiveGroup clear() {
    Arrays.fill(memories, 0, size, null);
    size = 0;
    return this;
  }

  /**
   * Adds a receive for one message. Its bounds are checked when the group is posted.
   *
   * @param memory registered with the channel's transport
   * @param offsetBytes where the receive begins in it
   * @param lengthBytes capacity of the receive, 0 or more
   * @param tag must equal the send's
   * @return this group
   * @throws IllegalStateException if the group is full
   */
  public ReceiveGroup add(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    if (size == Transport.MAX_GROUP) {
      throw new IllegalStateException("a group has at most " + Transport.MAX_GROUP + " receives");
    }
    memories[size] = memory;
    offsetsBytes[size] = offsetBytes;
    lengthsBytes[size] = lengthBytes;
    tags[size] = tag;
    size++;
    return this;
  }

  /** Number of receives, 0 to {@link Transport#MAX_GROUP}. */
  public int size() {
    return size;
  }

  /** The memory of one receive. */
  public RegisteredMemory memory(int index) {
    return memories[index];
  }

  /** Where one receive begins in its memory, in bytes. */
  public long offsetBytes(int index) {
    return offsetsBytes[index];
  }

  /** Capacity of one receive in bytes. */
  public long lengthBytes(int index) {
    return lengthsBytes[index];
  }

  /** Tag of one receive. */
  public int tag(int index) {
    return tags[index];
  }
}
