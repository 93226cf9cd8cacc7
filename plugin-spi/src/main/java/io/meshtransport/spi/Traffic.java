// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Map;
import java.util.StringJoiner;

/**
 * What went over one NIC, or over one NIC to and from one peer, since the transport was opened;
 * closed channels are included. Values are read while traffic goes on, one by one, not at one
 * instant. A channel with several rails counts as a whole with the NIC of its first rail.
 *
 * @param nic name of the local device
 * @param peer id of the peer node as in {@link Route#peer}; empty for all peers of a NIC
 * @param peerName name of the peer node as in {@link Route#peerName}, which it keeps when it
 *     restarts, unlike its id; empty for a peer without a name, and for all peers of a NIC
 * @param channels number of channels open now; a {@link Connection} is two
 * @param outstanding requests of these channels that have begun and whose ends the program has not
 *     read, posted receives among them
 * @param sent every counter, of the sending ends
 * @param received every counter, of the receiving ends
 * @param latencies how long sends, puts and gets took
 */
public record Traffic(
    String nic,
    String peer,
    String peerName,
    int channels,
    int outstanding,
    Map<Counter, Long> sent,
    Map<Counter, Long> received,
    Latencies latencies) {
  /** Copies the counts. */
  public Traffic {
    sent = Map.copyOf(sent);
    received = Map.copyOf(received);
  }

  /** For people, on one line; counters that are zero are left out. */
  @Override
  public String toString() {
    return "%s and %s (channels open: %d): sent %s; received %s; sends %s"
        .formatted(nic, peerText(), channels, counts(sent), counts(received), latencies);
  }

  private String peerText() {
    if (peer.isEmpty()) {
      return "all peers";
    }
    return peerName.isEmpty() ? peer : peerName + " (" + peer + ")";
  }

  private static String counts(Map<Counter, Long> counts) {
    StringJoiner text = new StringJoiner(", ");
    text.setEmptyValue("nothing");
    for (Counter counter : Counter.values()) {
      if (counts.getOrDefault(counter, 0L) != 0) {
        text.add(counter + " " + counts.get(counter));
      }
    }
    return text.toString();
  }
}
