// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.stats;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Traffic;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.HdrHistogram.Histogram;

/**
 * What goes over one NIC to and from one peer: its channels now, and what is left of former ones.
 */
public final class PeerTraffic {
  private final String nic;
  private final String peerName;

  /** Changes when the peer has restarted and continues what it has here. Guarded by this. */
  private String peer;

  private final LatencyRecord latencies = LatencyRecord.ofPeer();
  private final Set<ChannelCounters> sending = ConcurrentHashMap.newKeySet();
  private final Set<ChannelCounters> receiving = ConcurrentHashMap.newKeySet();
  private final Set<IntSupplier> outstanding = ConcurrentHashMap.newKeySet();
  private final ChannelCounters formerlySent = new ChannelCounters();
  private final ChannelCounters formerlyReceived = new ChannelCounters();

  PeerTraffic(String nic, String peer, String peerName) {
    this.nic = nic;
    this.peer = peer;
    this.peerName = peerName;
  }

  /** Whether it is of a peer of that name and no channel of it is open. */
  boolean isFormerOf(String nicOfOther, String name) {
    return nic.equals(nicOfOther)
        && peerName.equals(name)
        && sending.isEmpty()
        && receiving.isEmpty();
  }

  /** The peer has restarted: what comes is added to what it has here. */
  synchronized void continueAs(String newPeer) {
    peer = newPeer;
  }

  private synchronized String peer() {
    return peer;
  }

  public LatencyRecord latencies() {
    return latencies;
  }

  /**
   * Counts the requests of an open channel.
   *
   * @param ofChannel how many are outstanding; the same object for {@link #removeRequests}
   */
  public void addRequests(IntSupplier ofChannel) {
    outstanding.add(ofChannel);
  }

  /** The channel is closed: it has no requests any more. */
  public void removeRequests(IntSupplier ofChannel) {
    outstanding.remove(ofChannel);
  }

  int outstanding() {
    int sum = 0;
    for (IntSupplier each : outstanding) {
      sum += each.getAsInt();
    }
    return sum;
  }

  /** Counts an open channel, by the counters that are its own. */
  public void add(ChannelCounters channel, boolean isSending) {
    (isSending ? sending : receiving).add(channel);
  }

  /** The channel is closed: its counts stay. */
  public synchronized void remove(ChannelCounters channel, boolean isSending) {
    if ((isSending ? sending : receiving).remove(channel)) {
      channel.addTo(isSending ? formerlySent : formerlyReceived);
    }
  }

  /**
   * Adds what there is to sums.
   *
   * @return how many channels are open
   */
  synchronized int addTo(ChannelCounters sent, ChannelCounters received, Histogram times) {
    formerlySent.addTo(sent);
    formerlyReceived.addTo(received);
    latencies.addTo(times);
    return addAll(sending, sent) + addAll(receiving, received);
  }

  private static int addAll(Set<ChannelCounters> channels, ChannelCounters sum) {
    int open = 0;
    for (ChannelCounters channel : channels) {
      channel.addTo(sum);
      open++;
    }
    return open;
  }

  public Traffic read() {
    ChannelCounters sent = new ChannelCounters();
    ChannelCounters received = new ChannelCounters();
    Histogram times = LatencyRecord.newSum();
    int open = addTo(sent, received, times);
    Map<Counter, Long> sentCounts = sent.toMap();
    return new Traffic(
        nic,
        peer(),
        peerName,
        open,
        outstanding(),
        sentCounts,
        received.toMap(),
        LatencyRecord.read(times));
  }
}
