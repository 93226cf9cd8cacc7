// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Sizes of a queue pair (struct ibv_qp_cap). Devices may grant more than was requested.
 *
 * @param sendDepth work requests outstanding in the send queue
 * @param receiveDepth work requests outstanding in the receive queue
 * @param sendSges scatter/gather entries of a send
 * @param receiveSges scatter/gather entries of a receive
 * @param inlineBytes max payload of {@link SendFlags#INLINE}
 */
public record QueuePairCapabilities(
    int sendDepth, int receiveDepth, int sendSges, int receiveSges, int inlineBytes) {
  public QueuePairCapabilities {
    if (sendDepth < 1 || receiveDepth < 1 || sendSges < 1 || receiveSges < 1 || inlineBytes < 0) {
      throw new IllegalArgumentException(
          "depths and entries must be at least 1 and inline bytes at least 0: sendDepth="
              + sendDepth
              + " receiveDepth="
              + receiveDepth
              + " sendSges="
              + sendSges
              + " receiveSges="
              + receiveSges
              + " inlineBytes="
              + inlineBytes);
    }
  }
}
