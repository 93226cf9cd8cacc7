// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.WireKey;

/**
 * The peer's queue pair, as the handshake brought it.
 *
 * @param number 24 bits
 * @param psn the first packet sequence number it sends, 24 bits
 * @param gid where it is
 * @param mtuBytes its path MTU
 * @param wirePort its soft wire's TCP port, 0 on hardware
 * @param reads our reads that it serves at once, at least 1
 * @param wireKey what its soft wire is proved with
 */
public record PeerQueuePair(
    int number, int psn, Gid gid, int mtuBytes, int wirePort, int reads, WireKey wireKey) {
  /** One whose peer has not said that it serves more than one read at once. */
  public PeerQueuePair(int number, int psn, Gid gid, int mtuBytes, int wirePort) {
    this(number, psn, gid, mtuBytes, wirePort, 1, WireKey.NONE);
  }
}
