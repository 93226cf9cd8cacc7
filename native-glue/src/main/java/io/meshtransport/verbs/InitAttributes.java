// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * What RESET to INIT needs (man ibv_modify_qp).
 *
 * @param port number of the port, from 1
 * @param pkeyIndex partition, 0 on RoCE
 * @param access what the peer may do here, bits of {@link Access}; ignored on UD
 * @param queueKey on UD, what a sender must name to be heard: 32 bits, the highest for privileged
 *     senders (InfiniBand 1.4 section 10.2.5); ignored on RC and UC
 */
public record InitAttributes(int port, int pkeyIndex, int access, int queueKey) {
  /** As RC and UC queue pairs need it. */
  public InitAttributes(int port, int pkeyIndex, int access) {
    this(port, pkeyIndex, access, 0);
  }
}
