// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.endpoint.QueueDepths;

/**
 * How many notices of a kind this end may send: the peer has a receive for each, and space for it
 * until its program polls. Confined to the channel's lock.
 */
final class NoticeCredit {
  private final int most;
  private long begun;
  private long limit;

  /** What the peer said last; it counts once the receive that it came in is posted again. */
  private long nextLimit;

  /**
   * @param first notices that the peer accepts before it has sent any credit
   * @param most notices that it ever accepts beyond those that were sent
   */
  private NoticeCredit(int first, int most) {
    this.most = most;
    this.limit = first;
    this.nextLimit = first;
  }

  static NoticeCredit ofPuts() {
    return new NoticeCredit(QueueDepths.FIRST_NOTICE_RECEIVES, QueueDepths.NOTICE_RECEIVES);
  }

  static NoticeCredit ofUnexpected() {
    return new NoticeCredit(0, QueueDepths.UNEXPECTED_RECEIVES);
  }

  /** Uses up the credit for one; whether there was any. */
  boolean acquire() {
    if (begun == limit) {
      return false;
    }
    begun++;
    return true;
  }

  /** One that was acquired is not sent. */
  void giveBack() {
    begun--;
  }

  /**
   * A credit has come.
   *
   * @return whether a correct peer may send it now
   */
  boolean received(long newLimit) {
    boolean isPossible = newLimit > nextLimit && newLimit - begun <= most;
    if (isPossible) {
      nextLimit = newLimit;
    }
    return isPossible;
  }

  /** The receives of a batch are posted again: the peer may send the next credit. */
  void receivesPosted() {
    limit = nextLimit;
  }
}
