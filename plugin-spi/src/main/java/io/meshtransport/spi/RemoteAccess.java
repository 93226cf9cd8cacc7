// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * What peers that have the key of a memory ({@link RegisteredMemory#remoteKey()}) may do with it.
 * Messages are written into posted receives without any of these.
 */
public enum RemoteAccess {
  /** Peers may write to it with {@link SendChannel#iput}. */
  PUT,
  /** Peers may read it with {@link SendChannel#iget}. */
  GET
}
