// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.endpoint.ControlMessage;

/**
 * The sending end's answers to the peer's WITHDRAW. The peer sends the next WITHDRAW only when it
 * has the answer, so there is one answer at a time; but it may have the answer before its device
 * has acknowledged it, and then the next answer waits for that. Confined to the channel's lock.
 */
final class WithdrawalAnswers {
  private final ControlPath control;
  private boolean isDue;
  private boolean isInFlight;
  private int slot;
  private long entries;

  WithdrawalAnswers(ControlPath control) {
    this.control = control;
  }

  /**
   * WITHDRAW has come.
   *
   * @param withdrawn as {@link AdvertisedReceives#withdraw} says
   * @return false if a correct peer would not have sent it
   */
  boolean add(int newSlot, long withdrawn) {
    if (isDue) {
      return false;
    }
    isDue = true;
    slot = newSlot;
    entries = withdrawn;
    return true;
  }

  /** Sends the answer that is due, if any, unless the one before is in flight. */
  void send() {
    if (isDue && !isInFlight) {
      isDue = false;
      isInFlight = true;
      control.sendNumber(ControlMessage.WITHDRAWN, slot, 0, control.withdrawnBuffer(), entries);
    }
  }

  /** The peer's device has the answer. */
  void delivered() {
    isInFlight = false;
    send();
  }
}
