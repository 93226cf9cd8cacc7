// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.Channel;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.SlotSet;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.endpoint.UnsignaledSends;
import io.meshtransport.transport.endpoint.WorkRequestId;

/**
 * The puts and gets of a multi-rail channel. All go over the primary, where they have a bounded
 * number of work requests under way; each is signaled. Confined to the channel's lock.
 */
final class PrimaryTransfers {
  /** Work requests under way; the primary has as many besides for what else it does. */
  private static final int POSTS = QueueDepths.SENDER.dataDepth() / 4;

  private final ChannelCore core;
  private final ControlPath control;
  private final SendRequests sends;
  private final RmaOperations rma;
  private final UnsignaledSends unsignaled = new UnsignaledSends(POSTS, POSTS);
  private int freePosts = POSTS;

  /** Of puts and gets that are not over. */
  private final SlotSet slots = new SlotSet();

  PrimaryTransfers(ChannelCore core, ControlPath control, SendRequests sends, RmaOperations rma) {
    this.core = core;
    this.control = control;
    this.sends = sends;
    this.rma = rma;
  }

  /** The slot is a message's. */
  void beginMessage(int slot) {
    slots.remove(slot);
  }

  /** The slot is a put's or get's. */
  void begin(int slot) {
    slots.add(slot);
  }

  boolean isTransfer(int slot) {
    return slots.contains(slot);
  }

  /** Posts of a put or get what the send queue takes; returns whether that was all of it. */
  boolean post(int slot) {
    RmaTransfer transfer = rma.at(slot);
    long before = transfer.requestsLeft();
    if (freePosts > 0) {
      rma.add(control.primary(), slot, freePosts, unsignaled, true);
      int errno = control.primary().postPieces();
      freePosts -= (int) (before - transfer.requestsLeft());
      core.check(errno, "a put or get");
    }
    return transfer.requestsLeft() == 0;
  }

  void completed(int kind, int slot) {
    freePosts++;
    for (int left = unsignaled.completed(); left > 0; left--) {
      // The end of each put or get is signaled, so these end no request.
      unsignaled.nextCompleted();
      freePosts++;
    }
    if (kind == WorkRequestId.LAST_PIECE) {
      slots.remove(slot);
      sends.succeed(slot);
    }
  }

  /** Whether any is pending. */
  boolean isAnyPending() {
    for (int slot = slots.next(0); slot >= 0; slot = slots.next(slot + 1)) {
      if (core.requests.outcome(slot) == Channel.PENDING) {
        return true;
      }
    }
    slots.clear();
    return false;
  }
}
