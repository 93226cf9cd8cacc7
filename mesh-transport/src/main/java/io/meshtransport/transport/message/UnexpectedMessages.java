// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.endpoint.ControlMessage;
import java.nio.ByteBuffer;

/**
 * The peer's messages that wait for a receive, at an end whose program wants to know of them: this
 * end's first UNEXPECTED_CREDIT says that it does. A message is not reported if a receive for it is
 * on its way to the peer. Messages of one tag come in the order in which they were begun, and
 * behind the UNEXPECTED of each; so it is enough to count those that wait, and the receives.
 * Confined to the channel's lock.
 */
final class UnexpectedMessages {
  private final ChannelCore core;
  private final ControlPath control;
  private final PostedReceives receives;
  private final boolean isWanted;
  private final NoticeGrants grants;

  /** Tags of the messages that wait at the peer, oldest first. */
  private final SlotFifo waitingTags = new SlotFifo();

  private boolean hasReceives;

  UnexpectedMessages(
      ChannelCore core, ControlPath control, PostedReceives receives, boolean isWanted) {
    this.core = core;
    this.control = control;
    this.receives = receives;
    this.isWanted = isWanted;
    if (isWanted) {
      receives.onMessage(this::messageCame);
    }
    this.grants =
        new NoticeGrants(
            core,
            control,
            ControlMessage.UNEXPECTED_CREDIT,
            control.unexpectedCreditBuffer(),
            0,
            Connection.MAX_UNEXPECTED);
  }

  /**
   * UNEXPECTED has come.
   *
   * @return whether a correct peer may send it now
   */
  boolean received(ByteBuffer message, int at, int lengthBytes) {
    if (!isWanted || lengthBytes != ControlMessage.NUMBER_BYTES || !grants.receive()) {
      return false;
    }
    long messageBytes = ControlMessage.number(message, at);
    if (messageBytes < 0 || messageBytes > Transport.MAX_MESSAGE_BYTES) {
      return false;
    }
    int tag = ControlMessage.tag(message, at);
    if (waitingTags.size() == core.requests.max()) {
      // The peer has given up on some: no more can wait at once.
      waitingTags.removeFirst(1);
    }
    waitingTags.add(tag);
    if (waiting(tag) > receives.announcedWith(tag)) {
      core.arrivals.noticeReceived(CompletionKind.UNEXPECTED, tag, messageBytes);
    }
    return true;
  }

  private int waiting(int tag) {
    int count = 0;
    for (int position = 0; position < waitingTags.size(); position++) {
      count += waitingTags.get(position) == tag ? 1 : 0;
    }
    return count;
  }

  private void messageCame(int tag) {
    if (waitingTags.size() > 0) {
      waitingTags.remove(tag);
    }
  }

  /** Sends UNEXPECTED_CREDIT if it is due. */
  void sendCredit() {
    int unpolled = core.arrivals.notices.unexpected();
    if (!isWanted || !grants.isDue(unpolled)) {
      return;
    }
    if (!hasReceives) {
      hasReceives = true;
      int errno = control.addUnexpectedReceives();
      if (errno != 0) {
        core.shutdown.breakWith(
            ChannelFailures.post(core.route, "receives for what waits at the peer", errno));
        return;
      }
    }
    grants.send(unpolled);
  }

  /** The peer's device has UNEXPECTED_CREDIT. */
  void creditDelivered() {
    grants.delivered();
    sendCredit();
  }
}
