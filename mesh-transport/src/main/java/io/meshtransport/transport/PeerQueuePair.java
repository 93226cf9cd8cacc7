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
 * @param reads our reads that it serves at once, at least 1
 */
record PeerQueuePair(int number, int psn, Gid gid, int mtuBytes, int wirePort, int reads) {
  /** One whose peer has not said that it serves more than one read at once. */
  PeerQueuePair(int number, int psn, Gid gid, int mtuBytes, int wirePort) {
    this(number, psn, gid, mtuBytes, wirePort, 1);
  }

  static PeerQueuePair of(Endpoint peer) {
    return new PeerQueuePair(
        peer.qpNumber(),
        peer.psn(),
        peer.gid(),
        peer.mtuBytes(),
        peer.dataPort(),
        ChannelParameters.reads(peer.parameters()));
  }
}
