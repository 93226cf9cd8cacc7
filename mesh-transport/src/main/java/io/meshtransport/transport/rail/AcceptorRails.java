// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.handshake.NodeId;

/** The rails of a channel or connection at the end that accepted. Any thread. */
public interface AcceptorRails {
  /** Whether they are those of a peer's bundle. */
  boolean isOf(NodeId node, long bundle);

  /** Why a rail that comes with this ticket cannot be one of them, or an empty string. */
  String objectionTo(RailId other);

  /** As {@link RailSet#join}. */
  boolean join(Rail rail);
}
