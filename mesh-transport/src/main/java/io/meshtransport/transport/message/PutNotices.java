// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.QueueDepths;
import java.nio.ByteBuffer;

/**
 * The peer's notices of its puts, and how many more it may send: PUT_CREDIT says so in advance, so
 * that the peer never sends one without a receive, and a program that does not poll has {@link
 * Connection#MAX_NOTICES} at most. A completion of a SEND says that all writes before it on the
 * queue pair are in memory. Confined to the channel's lock; allocates only for the first notice.
 */
final class PutNotices {
  /** So many notices are worth a PUT_CREDIT. */
  private static final int MIN_CREDIT = QueueDepths.NOTICE_RECEIVES / 2;

  private final ChannelCore core;
  private final ControlPath control;

  /** Notices since the connection began. */
  private long received;

  /** Notices that the peer may send since the connection began. */
  private long limit = QueueDepths.FIRST_NOTICE_RECEIVES;

  /** As {@link #limit} before the last PUT_CREDIT: a notice beyond proves that it was read. */
  private long limitBefore;

  private boolean isInFlight;

  PutNotices(ChannelCore core, ControlPath control) {
    this.core = core;
    this.control = control;
  }

  /**
   * PUT_NOTICE has come.
   *
   * @return whether a correct peer may send it now
   */
  boolean received(ByteBuffer message, int at, int lengthBytes) {
    boolean isDue =
        control.isOfBoth() && lengthBytes == ControlMessage.NUMBER_BYTES && received < limit;
    if (!isDue) {
      return false;
    }
    long putBytes = ControlMessage.number(message, at);
    if (putBytes < 0 || putBytes > Transport.MAX_MESSAGE_BYTES) {
      return false;
    }
    received++;
    core.noticeReceived(ControlMessage.notice(message, at), putBytes);
    return true;
  }

  /** Sends PUT_CREDIT if it is due, and the peer has read the one before. */
  void sendCredit() {
    long polled = received - core.notices.size();
    long next = polled + QueueDepths.NOTICE_RECEIVES;
    boolean isDue = received > limitBefore && next - limit >= MIN_CREDIT;
    if (!isDue || isInFlight || !core.isReady()) {
      return;
    }
    int errno = control.ensureNoticeReceives();
    if (errno != 0) {
      core.breakWith(ChannelFailures.post(core.route, "receives for notices", errno));
      return;
    }
    limitBefore = limit;
    limit = next;
    isInFlight = true;
    control.sendNumber(ControlMessage.PUT_CREDIT, 0, 0, control.putCreditBuffer(), limit);
  }

  /** The peer's device has PUT_CREDIT. */
  void creditDelivered() {
    isInFlight = false;
    sendCredit();
  }
}
