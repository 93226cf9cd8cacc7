// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jmx;

import java.util.List;
import java.util.Map;
import javax.management.ConstructorParameters;

/**
 * One open channel, as JMX shows it. The getters repeat the components: before Java 21, JMX maps
 * getters only.
 *
 * @param number which of this process's channels it is, ascending from 1; never used again
 * @param name of a connection, as its own end gave it; empty for none, and for one-way channels
 * @param direction {@code send}, {@code receive}, or {@code both} for a connection
 * @param state a constant of {@link io.meshtransport.spi.ChannelState}
 * @param peer the peer, as {@link io.meshtransport.spi.Route#peer} has it
 * @param peerName name of the peer; empty if it has none
 * @param route the peer, its address and the local NIC, in one text
 * @param localNic name of the local device
 * @param localAddress address of the local NIC, as in {@code 10.0.1.1/24}
 * @param peerAddress address of the peer on the shared subnet
 * @param subnet the shared subnet, as in {@code 10.0.1.0/24}
 * @param handshakeUs duration of its handshake in microseconds
 * @param rails its queue pairs; one unless MESH_RAILS, MESH_QPS_PER_CONNECTION or ConnectOptions
 *     ask for more, or one over a relay stands by
 * @param maxRequests requests that may be outstanding at once: 64, or what both ends of a
 *     connection have agreed on
 * @param pendingRequests requests that wait for their end; -1 if the channel was busy for too long
 *     to read it
 * @param endedRequests requests that have ended and that the program has not tested yet; -1 as
 *     above
 * @param oldestPendingMs how long the oldest pending request has waited at least, in milliseconds;
 *     -1 if none is pending, or as above. Exact for a request with a deadline; any other is first
 *     seen within 400 ms of its beginning
 * @param counters value of every {@link io.meshtransport.spi.Counter}, by its name
 * @param failure why it failed; empty unless its state is FAILED
 */
public record ChannelStatus(
    long number,
    String name,
    String direction,
    String state,
    String peer,
    String peerName,
    String route,
    String localNic,
    String localAddress,
    String peerAddress,
    String subnet,
    long handshakeUs,
    List<RailStatus> rails,
    int maxRequests,
    int pendingRequests,
    int endedRequests,
    long oldestPendingMs,
    Map<String, Long> counters,
    String failure) {
  @ConstructorParameters({
    "number",
    "name",
    "direction",
    "state",
    "peer",
    "peerName",
    "route",
    "localNic",
    "localAddress",
    "peerAddress",
    "subnet",
    "handshakeUs",
    "rails",
    "maxRequests",
    "pendingRequests",
    "endedRequests",
    "oldestPendingMs",
    "counters",
    "failure"
  })
  public ChannelStatus {}

  public long getNumber() {
    return number;
  }

  public String getName() {
    return name;
  }

  public String getDirection() {
    return direction;
  }

  public String getState() {
    return state;
  }

  public String getPeer() {
    return peer;
  }

  public String getPeerName() {
    return peerName;
  }

  public String getRoute() {
    return route;
  }

  public String getLocalNic() {
    return localNic;
  }

  public String getLocalAddress() {
    return localAddress;
  }

  public String getPeerAddress() {
    return peerAddress;
  }

  public String getSubnet() {
    return subnet;
  }

  public long getHandshakeUs() {
    return handshakeUs;
  }

  public List<RailStatus> getRails() {
    return rails;
  }

  public int getMaxRequests() {
    return maxRequests;
  }

  public int getPendingRequests() {
    return pendingRequests;
  }

  public int getEndedRequests() {
    return endedRequests;
  }

  public long getOldestPendingMs() {
    return oldestPendingMs;
  }

  public Map<String, Long> getCounters() {
    return counters;
  }

  public String getFailure() {
    return failure;
  }
}
