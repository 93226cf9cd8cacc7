// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Memory of a peer, as its key describes it: made by {@link Transport#remoteMemory} from the bytes
 * of {@link RegisteredMemory#remoteKey()}. A value that holds nothing and need not be closed; any
 * thread may read it. That it exists says nothing about the memory: the peer may have closed it, or
 * be gone, which the put or get then tells.
 */
public interface RemoteMemory {
  /** Bytes. */
  long lengthBytes();

  /** Whether its owner granted this at registration. */
  boolean allows(RemoteAccess access);
}
