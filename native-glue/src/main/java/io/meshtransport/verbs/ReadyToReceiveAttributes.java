// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.Objects;

/**
 * The attributes of INIT to RTR (man ibv_modify_qp).
 *
 * @param peer address of the peer
 * @param peerQueuePair its number, 24 bits
 * @param receivePsn the first packet sequence number it will use, 24 bits
 * @param pathMtuBytes 256, 512, 1024, 2048 or 4096: the smaller of both ends' active MTU
 * @param maxReadAtomic reads and atomics of the peer to serve at once, at least 1 where it issues
 *     any
 * @param minRnrTimer code of the time that a peer must wait after it found the receive queue empty,
 *     0 to 31 (InfiniBand 1.4 table 46: 12 means 0.64 ms)
 */
public record ReadyToReceiveAttributes(
    PeerAddress peer,
    int peerQueuePair,
    int receivePsn,
    int pathMtuBytes,
    int maxReadAtomic,
    int minRnrTimer) {
  /** Largest queue pair number and packet sequence number: both have 24 bits. */
  public static final int MAX_24_BITS = 0xFFFFFF;

  public ReadyToReceiveAttributes {
    Objects.requireNonNull(peer, "peer");
    if (peerQueuePair < 0
        || peerQueuePair > MAX_24_BITS
        || receivePsn < 0
        || receivePsn > MAX_24_BITS) {
      throw new IllegalArgumentException(
          "queue pair number " + peerQueuePair + " and PSN " + receivePsn + " must fit 24 bits");
    }
    if (Integer.bitCount(pathMtuBytes) != 1 || pathMtuBytes < 256 || pathMtuBytes > 4096) {
      throw new IllegalArgumentException(
          "path MTU " + pathMtuBytes + " is not 256, 512, 1024, 2048 or 4096");
    }
    if (minRnrTimer < 0 || minRnrTimer > 31) {
      throw new IllegalArgumentException("RNR timer code " + minRnrTimer + " is outside 0..31");
    }
  }
}
