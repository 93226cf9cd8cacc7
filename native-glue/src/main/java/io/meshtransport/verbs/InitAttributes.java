// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The attributes of RESET to INIT (man ibv_modify_qp).
 *
 * @param port number of the port, from 1
 * @param pkeyIndex partition, 0 on RoCE
 * @param access rights of the peer, bits of {@link Access}; ignored on UD
 * @param queueKey on UD, the key that a sender must use for its messages to be received: 32 bits,
 *     the highest for privileged senders (InfiniBand 1.4 section 10.2.5); ignored on RC and UC
 */
public record InitAttributes(int port, int pkeyIndex, int access, int queueKey) {
  /** As RC and UC queue pairs need it. */
  public InitAttributes(int port, int pkeyIndex, int access) {
    this(port, pkeyIndex, access, 0);
  }
}
