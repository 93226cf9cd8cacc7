// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import java.util.Arrays;

/**
 * The work requests of a connection of several rails that the peer's device has not acknowledged,
 * in order: what is sent again when the queue pair under them is lost. While it is held, work
 * requests are noted and not posted. Confined to the channel's lock; allocates nothing but for more
 * work requests at once than there ever were.
 *
 * <pre>
 *    acknowledged       posted            held
 *  -----------------+---------------+--------------+
 *                   ^ 0                            ^ size
 * </pre>
 */
public final class SendJournal {
  /** Instead of a kind: see {@link #drop}. */
  public static final int DROPPED = 0;

  private static final int FIRST = 16;
  private static final int SIGNALED = 1;
  private static final int POSTED = 2;

  private long[] ids = new long[FIRST];
  private int[] lengthsBytes = new int[FIRST];
  private byte[] flags = new byte[FIRST];
  private int first;
  private int size;
  private boolean isHeld;
  private long messagesOver;

  /**
   * A work request is to be posted.
   *
   * @param lengthBytes of a control message
   * @return whether to post it now
   */
  boolean add(int kind, int index, int lengthBytes, boolean isSignaled) {
    if (size == ids.length) {
      grow();
    }
    int at = at(size++);
    ids[at] = WorkRequestId.of(kind, index);
    lengthsBytes[at] = lengthBytes;
    flags[at] = (byte) ((isSignaled ? SIGNALED : 0) | (isHeld ? 0 : POSTED));
    return !isHeld;
  }

  private void grow() {
    long[] newIds = new long[2 * size];
    int[] newLengths = new int[2 * size];
    byte[] newFlags = new byte[2 * size];
    for (int i = 0; i < size; i++) {
      newIds[i] = ids[at(i)];
      newLengths[i] = lengthsBytes[at(i)];
      newFlags[i] = flags[at(i)];
    }
    ids = newIds;
    lengthsBytes = newLengths;
    flags = newFlags;
    first = 0;
  }

  /** Capacities are powers of two. */
  private int at(int position) {
    return first + position & ids.length - 1;
  }

  /** A signaled work request completed: it is over, and so are those before it. */
  public void acknowledged() {
    boolean isLast = false;
    while (!isLast && size > 0) {
      isLast = isSignaled(0);
      removeFirst();
    }
  }

  /** The oldest is over. */
  public void removeFirst() {
    messagesOver += isMessage(0) ? 1 : 0;
    first = at(1);
    size--;
  }

  /** Removes the oldest, to be posted anew. */
  public void takeFirst() {
    first = at(1);
    size--;
  }

  /** Work requests that have used a receive of the peer and are over, since the beginning. */
  public long messagesOver() {
    return messagesOver;
  }

  /**
   * How many of the oldest are over, if the peer has received so many messages since the beginning.
   *
   * @return -1 if that cannot be
   */
  public int countOver(long messages) {
    long left = messages - messagesOver;
    int count = 0;
    int over = 0;
    while (left > 0 && count < size && isPosted(count)) {
      left -= isMessage(count++) ? 1 : 0;
      over = count;
    }
    return left == 0 ? over : -1;
  }

  /** Whether it uses up a receive of the peer. */
  private boolean isMessage(int position) {
    int kind = kind(position);
    return kind == WorkRequestId.CONTROL || kind == WorkRequestId.LAST_PART;
  }

  /**
   * A work request that moves data does nothing when it is posted anew, and no request ends with
   * it; what it covers stays the same.
   */
  public void neutralize(int position) {
    ids[at(position)] = WorkRequestId.of(WorkRequestId.REPORT, 0);
  }

  /** A control message that the peer has not received is not sent anew. */
  public void drop(int position) {
    ids[at(position)] = WorkRequestId.of(DROPPED, 0);
  }

  /** From now on nothing is posted. */
  public void hold() {
    isHeld = true;
  }

  /** From now on what is added is posted. */
  public void release() {
    isHeld = false;
  }

  public boolean isHeld() {
    return isHeld;
  }

  /** Whether anything was posted that is not acknowledged. */
  public boolean isAnyPosted() {
    return size > 0 && isPosted(0);
  }

  public int size() {
    return size;
  }

  /**
   * As {@link WorkRequestId#kind}.
   *
   * @param position 0 for the oldest
   */
  public int kind(int position) {
    return WorkRequestId.kind(ids[at(position)]);
  }

  /** As {@link WorkRequestId#index}. */
  public int index(int position) {
    return WorkRequestId.index(ids[at(position)]);
  }

  public int lengthBytes(int position) {
    return lengthsBytes[at(position)];
  }

  public boolean isSignaled(int position) {
    return (flags[at(position)] & SIGNALED) != 0;
  }

  public boolean isPosted(int position) {
    return (flags[at(position)] & POSTED) != 0;
  }

  /** Their kinds, for people. */
  @Override
  public String toString() {
    int[] kinds = new int[size];
    Arrays.setAll(kinds, this::kind);
    return Arrays.toString(kinds);
  }
}
