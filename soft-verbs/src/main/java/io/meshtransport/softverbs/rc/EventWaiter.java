// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/** What a thread waits for in {@link Network#await}. */
public interface EventWaiter {
  /** Whether a waiter has a reason to stop waiting. Any thread. */
  boolean isOver();
}
