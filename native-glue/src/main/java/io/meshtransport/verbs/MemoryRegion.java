// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Registered memory (struct ibv_mr). Any thread may read its values. Close it only when no work
 * request uses it: hardware would write to memory that is no longer the caller's.
 */
public interface MemoryRegion extends AutoCloseable {
  /** The address by which work requests, local and remote, name the first byte. Unsigned. */
  long address();

  /** Bytes. */
  long lengthBytes();

  /** For the scatter/gather entries of work requests posted here. */
  int localKey();

  /** For peers that read or write this memory. */
  int remoteKey();

  @Override
  void close() throws VerbsException;
}
