// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * What peers that have the key of a memory ({@link RegisteredMemory#remoteKey()}) may do with it by
 * themselves, beside writing messages into receives that were posted with it.
 */
public enum RemoteAccess {
  /** Write to it with {@link SendChannel#iput}. */
  PUT,
  /** Read it with {@link SendChannel#iget}. */
  GET
}
