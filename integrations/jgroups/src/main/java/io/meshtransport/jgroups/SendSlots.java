// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.SendSlot;
import io.meshtransport.session.Session;
import java.nio.ByteBuffer;

/**
 * The send slots of a session, and the arrays that represent them where JGroups passes arrays: one
 * for each slot, always the same. Any thread may call it.
 */
final class SendSlots {
  /** Shorter than any bundle: code that reads a stand-in as the bundle's bytes fails. */
  private static final int STAND_IN_BYTES = Integer.BYTES;

  private final Session session;
  private final byte[][] standIns;
  private final SendSlot[] slots;

  /**
   * @param count of the session's slots
   */
  SendSlots(Session session, int count) {
    this.session = session;
    standIns = new byte[count][];
    slots = new SendSlot[count];
    for (int number = 0; number < count; number++) {
      standIns[number] = ByteBuffer.allocate(STAND_IN_BYTES).putInt(number).array();
    }
  }

  /** A slot with one reference, the caller's to close; null if none is free. */
  SendSlot tryClaim() {
    return session.tryClaim();
  }

  /** The array that represents a slot until it is closed. */
  byte[] standIn(SendSlot slot) {
    // The same object each time; the thread that reads it is the one that claimed the slot.
    slots[slot.number()] = slot;
    return standIns[slot.number()];
  }

  /** The slot that an array represents; null if it represents none of this session's. */
  SendSlot slotOf(byte[] array) {
    if (array.length != STAND_IN_BYTES) {
      return null;
    }
    int number = ByteBuffer.wrap(array).getInt();
    return number >= 0 && number < standIns.length && standIns[number] == array
        ? slots[number]
        : null;
  }
}
