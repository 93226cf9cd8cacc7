// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;

/** Reads the node's id in a handle: {@code Transport.nodeId}, or a test's own. */
@FunctionalInterface
public interface NodeIds {
  /**
   * The node's id, the same for all handles of one process.
   *
   * @throws TransportException BAD_HANDLE if these bytes are no handle
   */
  String of(byte[] handle) throws TransportException;
}
