package io.meshtransport.spi;

import java.util.Map;

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
}
