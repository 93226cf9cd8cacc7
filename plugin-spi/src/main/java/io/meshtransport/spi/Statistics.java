// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.List;
import java.util.StringJoiner;

/**
 * What a transport has done so far.
 *
 * @param nics one for each NIC, in their order
 * @param peers one for each pair of a NIC and a peer that had a channel; the first 256 pairs, and
 *     beyond that one for all others of a NIC, whose peer is called {@link #OTHERS}
 * @param handshakes how connections were made and why some were not: each counter there is, and
 *     each reason for which any failed, also those that strangers caused, which are never logged;
 *     empty where there are none
 */
public record Statistics(List<Traffic> nics, List<Traffic> peers, List<HandshakeCount> handshakes) {
  /** The name of all peers beyond those counted singly. */
  public static final String OTHERS = "others";

  /** Copies the lists. */
  public Statistics {
    nics = List.copyOf(nics);
    peers = List.copyOf(peers);
    handshakes = List.copyOf(handshakes);
  }

  /** In words, a line for each NIC and each peer and one for the handshakes; without zeros. */
  @Override
  public String toString() {
    StringJoiner lines = new StringJoiner(System.lineSeparator());
    nics.forEach(nic -> lines.add(nic.toString()));
    peers.forEach(peer -> lines.add(peer.toString()));
    StringJoiner counted = new StringJoiner(", ");
    counted.setEmptyValue("none");
    handshakes.stream()
        .filter(handshake -> handshake.count() != 0)
        .forEach(handshake -> counted.add(handshake.name() + " " + handshake.count()));
    return lines.add("handshakes: " + counted).toString();
  }
}
