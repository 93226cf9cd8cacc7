// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

/** What other threads request of an outbound link's thread. */
enum LinkRequest {
  /** Open a channel if there is none, now or once the pause is over. */
  CONNECT,
  /** Drive the open channel once, for the peer may be gone. */
  CHECK
}
