// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The path to a peer, for sends on {@link QueuePairType#UD} queue pairs (struct ibv_ah). Created by
 * {@link ProtectionDomain#createAddressHandle}. Any thread may use it; close it when no send that
 * names it is outstanding.
 */
public interface AddressHandle extends AutoCloseable {
  /** Where it leads. */
  PeerAddress peer();

  /** The local port it leaves by, from 1. */
  int port();

  /** Destroys it. */
  @Override
  void close() throws VerbsException;
}
