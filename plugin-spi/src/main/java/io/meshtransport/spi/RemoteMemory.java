// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Memory of a peer, as its key describes it: made by {@link Transport#remoteMemory} from the bytes
 * of {@link RegisteredMemory#remoteKey()}. A value without resources, which need not be closed; any
 * thread may read it. Its existence says nothing about the memory: the peer may have closed it or
 * be gone, and then the put or get fails.
 */
public interface RemoteMemory {
  /** Length in bytes. */
  long lengthBytes();

  /** Whether the peer granted this at registration. */
  boolean allows(RemoteAccess access);
}
