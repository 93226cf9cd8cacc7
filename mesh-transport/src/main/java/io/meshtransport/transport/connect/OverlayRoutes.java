// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.NodeId;
import java.net.InetSocketAddress;
import java.util.Optional;

/** What set-ups know of an attached overlay. Any thread may call it. */
public interface OverlayRoutes {
  /** There is no overlay. */
  OverlayRoutes NONE =
      new OverlayRoutes() {
        @Override
        public boolean prepare(NodeId node) {
          return false;
        }

        @Override
        public Optional<InetSocketAddress> door(NodeId node) {
          return Optional.empty();
        }

        @Override
        public String path(NodeId node) {
          return "";
        }
      };

  /**
   * Makes ready to connect to a node over the overlay's NIC.
   *
   * @return whether a path leads there now
   */
  boolean prepare(NodeId node);

  /**
   * An address of this host where connections to a node's handshake port are taken; empty unless
   * {@link #prepare} has made one.
   */
  Optional<InetSocketAddress> door(NodeId node);

  /** The path to a node, for people; empty if there is none. */
  String path(NodeId node);
}
