// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.endpoint.QueueDepths;

/**
 * How many puts with a notice may begin: the peer has a receive for each notice, and space for it
 * until its program polls. Confined to the channel's lock.
 */
final class PutCredit {
  private long begun;
  private long limit = QueueDepths.FIRST_NOTICE_RECEIVES;

  /** What PUT_CREDIT said; it counts once the receive that it came in is posted again. */
  private long nextLimit = limit;

  /** Uses up the credit for one put; whether there was any. */
  boolean acquire() {
    if (begun == limit) {
      return false;
    }
    begun++;
    return true;
  }

  /**
   * PUT_CREDIT has come.
   *
   * @return whether a correct peer may send it now
   */
  boolean received(long newLimit) {
    boolean isPossible = newLimit > nextLimit && newLimit - begun <= QueueDepths.NOTICE_RECEIVES;
    if (isPossible) {
      nextLimit = newLimit;
    }
    return isPossible;
  }

  /** The receives of a batch are posted again: the peer may send the next PUT_CREDIT. */
  void receivesPosted() {
    limit = nextLimit;
  }
}
