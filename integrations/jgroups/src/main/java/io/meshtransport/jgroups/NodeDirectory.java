// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Directory;

/** What {@link MESH_PING} needs from the transport below it. */
interface NodeDirectory {
  /**
   * The nodes of the mesh.
   *
   * @throws IllegalStateException if it is not started
   */
  Directory directory();

  /**
   * Waits a bounded time for the first node that is found through a seed; longer if a seed has
   * answered, or the first node has reported others. Does not wait once all seeds have been tried,
   * or while the transport is not started: a search on the timer may come after the stop.
   *
   * @return false if it is certain that there is no other node now: there are seeds, and the host
   *     of each refuses connections
   */
  boolean awaitInitialDiscovery();
}
