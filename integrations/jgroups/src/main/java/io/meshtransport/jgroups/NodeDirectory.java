// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.jgroups.directory.Directory;

/** What {@link MESH_PING} needs of the transport below it. */
interface NodeDirectory {
  /**
   * The nodes of the mesh.
   *
   * @throws IllegalStateException if it is not started
   */
  Directory directory();

  /**
   * Waits a bounded time for the first node that is found through a seed; not at all once all seeds
   * have been tried, or while it is not started: a search on the timer may come after the end.
   * Longer if a seed has answered, or the first node has told of others.
   *
   * @return false if it is certain that nobody is to be found now: there are seeds, and the host of
   *     each says that nobody is there
   */
  boolean awaitInitialDiscovery();
}
