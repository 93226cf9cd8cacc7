// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.channel.SlotSet;
import io.meshtransport.transport.endpoint.QueueDepths;

/**
 * Reports messages that wait for a receive to the peer, in order, each at most once, if the peer
 * wants to know of them: then it has sent UNEXPECTED_CREDIT. Confined to the channel's lock.
 */
final class UnexpectedReports {
  private final ChannelCore core;
  private final ControlPath control;
  private final SendRequests sends;
  private final NoticeCredit credit = NoticeCredit.ofUnexpected();

  /** Messages that wait and were not reported, oldest first. */
  private final SlotFifo unreported = new SlotFifo();

  /** Numbers of the buffers whose UNEXPECTED is not acknowledged. */
  private final SlotSet inFlight = new SlotSet();

  private boolean isWanted;

  UnexpectedReports(ChannelCore core, ControlPath control, SendRequests sends) {
    this.core = core;
    this.control = control;
    this.sends = sends;
  }

  /** Whether the peer wants to know what waits. */
  boolean isWanted() {
    return isWanted;
  }

  /** A message has begun to wait, the last of all. */
  void waits(int slot) {
    unreported.add(slot);
    send();
  }

  /** A message waits no longer. */
  void remove(int slot) {
    if (unreported.size() > 0) {
      unreported.remove(slot);
    }
  }

  /**
   * UNEXPECTED_CREDIT has come.
   *
   * @param waiting messages that wait, oldest first
   * @return whether a correct peer may send it now
   */
  boolean creditReceived(long limit, TaggedFifo waiting) {
    boolean isPossible = control.isOfBoth() && credit.received(limit);
    if (isPossible && !isWanted) {
      isWanted = true;
      for (int slot = waiting.oldest(); slot != TaggedFifo.NONE; slot = waiting.next(slot)) {
        unreported.add(slot);
      }
    }
    return isPossible;
  }

  /** The receives of a batch are posted again, and what they matched is gone. */
  void receivesPosted() {
    credit.receivesPosted();
    send();
  }

  /**
   * Whether what was sent was an UNEXPECTED, whose buffer is free again then.
   *
   * @param buffer of the control message
   */
  boolean delivered(int buffer) {
    int number = buffer - control.unexpectedBuffer();
    if (number < 0 || number >= QueueDepths.UNEXPECTED_SENDS) {
      return false;
    }
    inFlight.remove(number);
    send();
    return true;
  }

  private void send() {
    while (unreported.size() > 0 && core.status.isReady()) {
      int number = freeBuffer();
      if (number == QueueDepths.UNEXPECTED_SENDS || !credit.acquire()) {
        return;
      }
      int slot = unreported.removeAt(0);
      inFlight.add(number);
      control.sendUnexpected(
          sends.tag(slot), control.unexpectedBuffer() + number, sends.lengthBytes(slot));
    }
  }

  private int freeBuffer() {
    int number = 0;
    while (number < QueueDepths.UNEXPECTED_SENDS && inFlight.contains(number)) {
      number++;
    }
    return number;
  }

  /** The channel has broken or is closed: nothing is sent any more. */
  void clear() {
    unreported.clear();
  }
}
