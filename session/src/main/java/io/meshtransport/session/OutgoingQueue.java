// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What waits for one peer, in the order in which it leaves. Messages in slots come before copies,
 * which need a slot to leave: so the slots of a peer always move on, and those of a peer that is
 * down are free for others. Guarded by the lock of its {@link Outbox}.
 */
final class OutgoingQueue {
  private final SlotShare slots;
  private final ArrayDeque<Outgoing> messages = new ArrayDeque<>();

  /** Those of them that are in no slot. */
  private int copies;

  OutgoingQueue(SlotShare slots) {
    this.slots = slots;
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  int size() {
    return messages.size();
  }

  /** The next one to leave; null if there is none. */
  Outgoing first() {
    return messages.peek();
  }

  /**
   * @param mayKeepSlot whether it may wait in its slot, where no copy waits
   */
  void add(Outgoing message, boolean mayKeepSlot) {
    boolean isCopied = message.slot != null && (!mayKeepSlot || copies > 0);
    Outgoing waiting = isCopied ? outOfSlot(message) : message;
    messages.add(waiting);
    copies += waiting.slot == null ? 1 : 0;
  }

  /** A copy that leaves before all that waits. */
  void addFirst(Outgoing copy) {
    messages.addFirst(copy);
    copies++;
  }

  void removeFirst() {
    uncount(messages.remove());
  }

  private void uncount(Outgoing removed) {
    copies -= removed.slot == null ? 1 : 0;
  }

  /** Removes the oldest that is wanted no longer, and answers it; null if there is none. */
  Outgoing removeOldest(Predicate<Outgoing> isUnwanted) {
    for (Iterator<Outgoing> each = messages.iterator(); each.hasNext(); ) {
      Outgoing message = each.next();
      if (isUnwanted.test(message)) {
        each.remove();
        uncount(message);
        return message;
      }
    }
    return null;
  }

  /** Removes all that are wanted no longer. */
  void removeIf(Predicate<Outgoing> isUnwanted, Consumer<Outgoing> removed) {
    for (Iterator<Outgoing> each = messages.iterator(); each.hasNext(); ) {
      Outgoing message = each.next();
      if (isUnwanted.test(message)) {
        each.remove();
        uncount(message);
        removed.accept(message);
      }
    }
  }

  /** The connection is gone: all wait for the next one, from their beginnings and in no slot. */
  void restart() {
    int count = messages.size();
    for (int i = 0; i < count; i++) {
      Outgoing each = messages.remove();
      each.restart();
      messages.add(each.slot == null ? each : outOfSlot(each));
    }
    copies = count;
  }

  /** The same message as a copy; its slot is given back. */
  private Outgoing outOfSlot(Outgoing message) {
    Outgoing copy = message.copied();
    slots.release(message.slot);
    return copy;
  }
}
