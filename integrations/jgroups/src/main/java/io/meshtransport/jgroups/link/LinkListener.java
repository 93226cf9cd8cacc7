// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.util.Optional;

/** What happens to outbound links, on their threads; nodes by their ids. */
public interface LinkListener {
  /** A node could not be reached with the handle known of it. */
  void staleHandle(Node node);

  /** A link to that node is open. */
  void opened(String id);

  /** A link to that node, which was open, has ended. */
  void ended(String id, TransportException why);

  /** A link to that node could not be opened. */
  void unreachable(String id, TransportException why);

  /**
   * The address on a cable at which that node was found, if it was found at one: the user of this
   * host means the network of that address.
   */
  default Optional<InetAddress> addressOf(String id) {
    return Optional.empty();
  }

  /** Whether that node has left the group, so that failing to reach it is no news. */
  boolean hasLeft(String id);
}
