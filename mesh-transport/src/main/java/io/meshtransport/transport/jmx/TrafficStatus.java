// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jmx;

import java.util.Map;
import javax.management.ConstructorParameters;

/**
 * What went over one NIC to and from one peer, as JMX shows it; closed channels are included. The
 * getters repeat the components: before Java 21, JMX maps getters only.
 *
 * @param nic name of the local device
 * @param peer id of the peer; empty for all peers of the NIC
 * @param peerName name of the peer; empty if it has none, and for all peers of the NIC
 * @param channels number of channels open now
 * @param outstanding requests of these channels whose ends the program has not read
 * @param sent value of every {@link io.meshtransport.spi.Counter} of the sending ends, by its name
 * @param received the same, of the receiving ends
 * @param latencies components of {@link io.meshtransport.spi.Latencies}, by their names
 */
public record TrafficStatus(
    String nic,
    String peer,
    String peerName,
    int channels,
    int outstanding,
    Map<String, Long> sent,
    Map<String, Long> received,
    Map<String, Long> latencies) {
  @ConstructorParameters({
    "nic",
    "peer",
    "peerName",
    "channels",
    "outstanding",
    "sent",
    "received",
    "latencies"
  })
  public TrafficStatus {}

  public String getNic() {
    return nic;
  }

  public String getPeer() {
    return peer;
  }

  public String getPeerName() {
    return peerName;
  }

  public int getChannels() {
    return channels;
  }

  public int getOutstanding() {
    return outstanding;
  }

  public Map<String, Long> getSent() {
    return sent;
  }

  public Map<String, Long> getReceived() {
    return received;
  }

  public Map<String, Long> getLatencies() {
    return latencies;
  }
}
