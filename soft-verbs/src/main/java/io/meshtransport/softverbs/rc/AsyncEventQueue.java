// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.AsyncEvent;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The asynchronous events that a device has raised and its owner has not polled yet. Beyond {@link
 * SoftLimits#MAX_ASYNC_EVENTS} the oldest is dropped. Guarded by the device's lock.
 */
final class AsyncEventQueue {
  private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();

  void raise(AsyncEvent.Type type, int subject) {
    if (events.size() == SoftLimits.MAX_ASYNC_EVENTS) {
      events.remove();
    }
    events.add(new AsyncEvent(type, subject));
  }

  /** Removes the oldest. */
  Optional<AsyncEvent> poll() {
    return Optional.ofNullable(events.poll());
  }
}
