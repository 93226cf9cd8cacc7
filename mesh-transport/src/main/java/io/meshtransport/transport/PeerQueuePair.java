package io.meshtransport.transport;

import io.meshtransport.handshake.Endpoint;
import io.meshtransport.nic.Gid;

/**
 * The peer's queue pair, as the handshake brought it.
 *
 * @param number 24 bits
 * @param psn the first packet sequence number it sends, 24 bits
 * @param gid where it is
 * @param mtuBytes its path MTU
 * @param wirePort its soft wire's TCP port, 0 on hardware
 */
record PeerQueuePair(int number, int psn, Gid gid, int mtuBytes, int wirePort) {
  static PeerQueuePair of(Endpoint peer) {
    return new PeerQueuePair(
        peer.qpNumber(), peer.psn(), peer.gid(), peer.mtuBytes(), peer.dataPort());
  }
}
