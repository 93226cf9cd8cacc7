// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Map;
import java.util.StringJoiner;

/**
 * What went over one NIC, or over one NIC to and from one peer, since the transport was opened,
 * channels that are closed included. Read while traffic goes on, which it does not slow: numbers
 * are each as of some moment during the reading. A channel that shares its messages out over
 * several cables counts whole with the NIC it began on.
 *
 * @param nic name of the local device
 * @param peer id of the peer node as in {@link Route#peer}; empty for all peers of a NIC
 * @param channels open now
 * @param sent counts of sending ends; every counter is there
 * @param received counts of receiving ends
 * @param latencies of sends
 */
public record Traffic(
    String nic,
    String peer,
    int channels,
    Map<Counter, Long> sent,
    Map<Counter, Long> received,
    Latencies latencies) {
  /** Copies the counts. */
  public Traffic {
    sent = Map.copyOf(sent);
    received = Map.copyOf(received);
  }

  /** In words, on one line; counters that are zero are left out. */
  @Override
  public String toString() {
    return "%s and %s (channels open: %d): sent %s; received %s; sends %s"
        .formatted(
            nic,
            peer.isEmpty() ? "all peers" : peer,
            channels,
            counts(sent),
            counts(received),
            latencies);
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
