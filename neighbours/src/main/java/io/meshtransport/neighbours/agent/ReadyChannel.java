// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

/** What a selected channel does, attached to its key. */
@FunctionalInterface
interface ReadyChannel {
  void ready();
}
