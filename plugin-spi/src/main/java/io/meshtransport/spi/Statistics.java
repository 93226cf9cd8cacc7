// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.List;
import java.util.StringJoiner;

/**
 * What a transport has done so far.
 *
 * @param nics one entry for each NIC, in the order of {@link Transport#nics()}
 * @param peers one entry for each pair of a NIC and a peer that had a channel, up to 256 pairs;
 *     beyond that a restarted peer continues the entry that its name has, if no channel of that is
 *     open, and one entry per NIC is for all other peers, whose peer and name are {@link #OTHERS}.
 *     Entries are never removed: sums over all entries with one name never decrease
 * @param handshakes how connections were made and why some were not: every counter, then one for
 *     each reason for which any failed. Includes what foreign software caused, which is never
 *     logged. Empty where the implementation makes no handshakes
 */
public record Statistics(List<Traffic> nics, List<Traffic> peers, List<HandshakeCount> handshakes) {
  /** The name of all peers that have no entry of their own. */
  public static final String OTHERS = "others";

  /** Copies the lists. */
  public Statistics {
    nics = List.copyOf(nics);
    peers = List.copyOf(peers);
    handshakes = List.copyOf(handshakes);
  }

  /** For people: a line for each NIC and each peer and one for the handshakes; without zeros. */
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
