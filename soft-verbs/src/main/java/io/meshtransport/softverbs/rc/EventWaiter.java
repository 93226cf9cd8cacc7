// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import java.util.function.BooleanSupplier;

/** What a thread waits for in {@link ProgressEngine#await}. */
public interface EventWaiter extends BooleanSupplier {
  /** Whether a waiter has a reason to stop waiting. Any thread. */
  boolean isOver();

  /** Whether it has waited for others' events lately; for the thread that waits. */
  IdleTurns idleTurns();

  @Override
  default boolean getAsBoolean() {
    return isOver();
  }
}
