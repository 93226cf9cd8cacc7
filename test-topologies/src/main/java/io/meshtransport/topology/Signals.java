// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

/** A process that takes signals by another way than kill(1) with its id: it is not of this host. */
public interface Signals {
  /**
   * Sends a signal; does nothing if the process has ended.
   *
   * @param name without SIG, as in {@code STOP}
   */
  void signal(String name);
}
