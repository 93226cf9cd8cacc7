// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.stats;

import io.meshtransport.spi.HandshakeCount;
import io.meshtransport.spi.Statistics;
import io.meshtransport.spi.Traffic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * What one transport has sent and received, by NIC and peer. Any thread may call it; the data path
 * meets no lock of it.
 */
public final class TrafficTable {
  /** Pairs of a NIC and a peer counted singly; each costs some 24 KB once it sends. */
  public static final int MOST_PAIRS = 256;

  private record Key(String nic, String peer) {
    // Written out: those that a record is given are linked at their first use, for milliseconds.
    @Override
    public boolean equals(Object other) {
      return other instanceof Key that && nic.equals(that.nic) && peer.equals(that.peer);
    }

    @Override
    public int hashCode() {
      return 31 * nic.hashCode() + peer.hashCode();
    }
  }

  private final Map<Key, PeerTraffic> pairs = new LinkedHashMap<>();

  /** Where traffic between a NIC and a peer is counted; made when it is requested first. */
  public synchronized PeerTraffic of(String nic, String peer, String peerName) {
    Key key = new Key(nic, peer);
    PeerTraffic known = pairs.get(key);
    if (known != null) {
      return known;
    }
    if (pairs.size() < MOST_PAIRS) {
      return add(key, new PeerTraffic(nic, peer, peerName));
    }
    Optional<Key> former = former(nic, peerName);
    if (former.isPresent()) {
      PeerTraffic continued = pairs.remove(former.get());
      continued.continueAs(peer);
      return add(key, continued);
    }
    Key others = new Key(nic, Statistics.OTHERS);
    PeerTraffic ofOthers = pairs.get(others);
    return ofOthers == null
        ? add(others, new PeerTraffic(nic, Statistics.OTHERS, Statistics.OTHERS))
        : ofOthers;
  }

  /** A peer's name outlives its id: a peer that restarts again and again needs one entry. */
  private Optional<Key> former(String nic, String peerName) {
    return peerName.isEmpty()
        ? Optional.empty()
        : pairs.entrySet().stream()
            .filter(pair -> pair.getValue().isFormerOf(nic, peerName))
            .map(Map.Entry::getKey)
            .findFirst();
  }

  private PeerTraffic add(Key key, PeerTraffic traffic) {
    pairs.put(key, traffic);
    return traffic;
  }

  /**
   * Reads all of it.
   *
   * @param nics names of the NICs, in order
   * @param handshakes what else belongs to the transport's statistics
   */
  public synchronized Statistics read(List<String> nics, List<HandshakeCount> handshakes) {
    List<Traffic> ofNics = new ArrayList<>();
    for (String nic : nics) {
      ofNics.add(sum(nic));
    }
    return new Statistics(
        ofNics, pairs.values().stream().map(PeerTraffic::read).toList(), handshakes);
  }

  private Traffic sum(String nic) {
    ChannelCounters sent = new ChannelCounters();
    ChannelCounters received = new ChannelCounters();
    Histogram times = LatencyRecord.newSum();
    int channels = 0;
    int outstanding = 0;
    for (Map.Entry<Key, PeerTraffic> pair : pairs.entrySet()) {
      if (pair.getKey().nic().equals(nic)) {
        channels += pair.getValue().addTo(sent, received, times);
        outstanding += pair.getValue().outstanding();
      }
    }
    return new Traffic(
        nic,
        "",
        "",
        channels,
        outstanding,
        sent.toMap(),
        received.toMap(),
        LatencyRecord.read(times));
  }
}
