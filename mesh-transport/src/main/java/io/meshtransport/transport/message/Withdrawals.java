// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.channel.SlotSet;
import io.meshtransport.transport.channel.TableGrowth;
import io.meshtransport.transport.endpoint.ControlMessage;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Receives that the receiving end takes back, one request at a time: WITHDRAW goes behind the
 * request's announcement, and WITHDRAWN says which of its receives the peer had not matched yet.
 * Those end; for the others a message is on its way, and they end with it. So no memory is the
 * caller's again while the peer may write there. Confined to the channel's lock.
 */
final class Withdrawals {
  private static final int NONE = -1;

  private final ChannelCore core;
  private final ControlPath control;
  private final PostedReceives receives;
  private final AnnouncementQueue announcements;
  private final AnnouncementBuffers buffers;

  /** Requests to be withdrawn whose WITHDRAW has not been sent, oldest first. */
  private final SlotFifo waiting = new SlotFifo();

  private TransportException[] reasons = {};

  /** Slots whose withdrawal has begun. */
  private final SlotSet begun = new SlotSet();

  /** The request whose WITHDRAWN is awaited, or {@link #NONE}. */
  private int current = NONE;

  Withdrawals(
      ChannelCore core,
      ControlPath control,
      PostedReceives receives,
      AnnouncementQueue announcements,
      AnnouncementBuffers buffers) {
    this.core = core;
    this.control = control;
    this.receives = receives;
    this.announcements = announcements;
    this.buffers = buffers;
  }

  /** A slot has a new request. */
  void requestBegins(int slot) {
    if (isBegun(slot)) {
      begun.remove(slot);
      // The last one there may have got its messages before its WITHDRAW was sent.
      waiting.remove(slot);
      removeReason(slot);
    }
  }

  private void removeReason(int slot) {
    if (slot < reasons.length) {
      reasons[slot] = null;
    }
  }

  /** Whether a request is being withdrawn. */
  boolean isBegun(int slot) {
    return begun.contains(slot);
  }

  /**
   * Begins to withdraw a pending request, unless that has begun.
   *
   * @param why its receives end, if no message comes for them
   */
  void begin(int slot, TransportException why) {
    if (isBegun(slot)) {
      return;
    }
    begun.add(slot);
    if (announcements.remove(slot)) {
      // The peer has never heard of it.
      receives.withdraw(slot, receives.awaitedEntries(slot), why);
      receives.announcementDelivered(slot);
      return;
    }
    if (slot >= reasons.length) {
      reasons = Arrays.copyOf(reasons, TableGrowth.toHold(slot));
    }
    reasons[slot] = why;
    waiting.add(slot);
    sendNext();
  }

  /** Sends the next WITHDRAW, if its announcement has left its buffer. */
  void sendNext() {
    for (int position = 0; current == NONE && position < waiting.size(); ) {
      int slot = waiting.get(position);
      if (receives.awaitedEntries(slot) == 0) {
        // Its messages have come meanwhile.
        waiting.removeAt(position);
      } else if (buffers.isInUse(slot) || !core.status.isReady()) {
        position++;
      } else {
        waiting.removeAt(position);
        current = slot;
        receives.awaitAnswer(slot);
        buffers.sendNumber(ControlMessage.WITHDRAW, slot);
      }
    }
  }

  /**
   * WITHDRAWN has come.
   *
   * @return whether a correct peer may send it now
   */
  boolean answered(ByteBuffer message, int at, int lengthBytes) {
    int slot = ControlMessage.slot(message, at);
    if (lengthBytes != ControlMessage.NUMBER_BYTES || current == NONE || slot != current) {
      return false;
    }
    if (!withdraw(slot, ControlMessage.number(message, at))) {
      return false;
    }
    current = NONE;
    receives.answered(slot);
    reasons[slot] = null;
    return true;
  }

  /**
   * @param answer bits of the entries that get no message, or of a multi-receive one more than its
   *     messages, or 0 if it will be full
   */
  private boolean withdraw(int slot, long answer) {
    if (receives.isMulti(slot)) {
      return answer == 0 || receives.withdrawMulti(slot, answer - 1, reasons[slot]);
    }
    if ((answer & ~receives.awaitedEntries(slot)) != 0) {
      return false;
    }
    receives.withdraw(slot, answer, reasons[slot]);
    return true;
  }

  /** The channel has broken or is closed: nothing is sent any more. */
  void clear() {
    waiting.clear();
  }
}
