// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.NodeId;

/** What set-ups know of an attached overlay. Any thread may call it. */
public interface OverlayRoutes {
  /** There is no overlay. */
  OverlayRoutes NONE =
      new OverlayRoutes() {
        @Override
        public boolean prepare(NodeId node, int handshakePort) {
          return false;
        }

        @Override
        public String path(NodeId node) {
          return "";
        }
      };

  /**
   * Makes ready to connect to a node over the overlay's NIC.
   *
   * @param handshakePort of that node, as in its handle
   * @return whether a path leads there now
   */
  boolean prepare(NodeId node, int handshakePort);

  /** The path to a node, for people; empty if there is none. */
  String path(NodeId node);
}
