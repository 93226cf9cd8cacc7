// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/**
 * How often in a row a thread that waits has moved bytes that were events for others, and none for
 * itself. One to which that happens too often rests: it leaves the bytes to others, and is woken
 * for its own events. A rest that ends without one counts for less than the turns that led to it,
 * so the thread looks once more itself.
 *
 * <p>For the thread that waits; another that polls meanwhile may reset it, and a reset that is lost
 * costs one rest.
 */
public final class IdleTurns {
  /** A thread whose events are as frequent as those of a few others still moves the bytes. */
  static final int MAX = 8;

  private int turns;

  /** It has served others alone, once more. */
  public void servedOthers() {
    turns = Math.min(turns + 1, MAX);
  }

  /** It has rested, and nothing came for it: nobody else may be there to move the bytes. */
  public void restedInVain() {
    turns = Math.min(turns, MAX - 1);
  }

  /** It has got what it waits for. */
  void gotEvent() {
    turns = 0;
  }

  /** Whether others are to move the bytes. */
  public boolean areMany() {
    return turns == MAX;
  }
}
