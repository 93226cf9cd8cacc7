// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.QueueDepths;
import java.nio.ByteBuffer;

/**
 * The peer's notices of its puts. A completion of a SEND says that all writes before it on the
 * queue pair are in memory. Confined to the channel's lock; allocates only for the first notice.
 */
final class PutNotices {
  private final ChannelCore core;
  private final ControlPath control;
  private final NoticeGrants grants;

  PutNotices(ChannelCore core, ControlPath control) {
    this.core = core;
    this.control = control;
    this.grants =
        new NoticeGrants(
            core,
            control,
            ControlMessage.PUT_CREDIT,
            control.putCreditBuffer(),
            QueueDepths.FIRST_NOTICE_RECEIVES,
            QueueDepths.NOTICE_RECEIVES);
  }

  /**
   * PUT_NOTICE has come.
   *
   * @return whether a correct peer may send it now
   */
  boolean received(ByteBuffer message, int at, int lengthBytes) {
    if (!control.isOfBoth() || lengthBytes != ControlMessage.NUMBER_BYTES || !grants.receive()) {
      return false;
    }
    long putBytes = ControlMessage.number(message, at);
    if (putBytes < 0 || putBytes > Transport.MAX_MESSAGE_BYTES) {
      return false;
    }
    core.arrivals.noticeReceived(
        CompletionKind.NOTICE, ControlMessage.notice(message, at), putBytes);
    return true;
  }

  /** Sends PUT_CREDIT if it is due: with the first notice, the peer is one that sends some. */
  void sendCredit() {
    int unpolled = core.arrivals.notices.puts();
    if (grants.received() == 0 || !grants.isDue(unpolled)) {
      return;
    }
    int errno = control.ensureNoticeReceives();
    if (errno != 0) {
      core.shutdown.breakWith(ChannelFailures.post(core.route, "receives for notices", errno));
      return;
    }
    grants.send(unpolled);
  }

  /** The peer's device has PUT_CREDIT. */
  void creditDelivered() {
    grants.delivered();
    sendCredit();
  }
}
