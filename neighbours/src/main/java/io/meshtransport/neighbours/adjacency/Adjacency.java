// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.neighbours.wire.SeenNeighbour;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

/**
 * What a node knows of one neighbour on one interface. Two random nonces prove that both directions
 * work now: the neighbour echoes this node's, so a recorded hello of an earlier life brings nothing
 * up.
 */
public final class Adjacency {
  /** A neighbour that is silent for so long is down: four hellos lost, or a long pause of a JVM. */
  public static final long SILENT_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * A neighbour that is heard for so long and does not hear this node is behind a one-way cable.
   */
  public static final long ONE_WAY_NS = TimeUnit.SECONDS.toNanos(2);

  /** Longer than any queue of a cable: an echo that says more is wrong. */
  private static final long MAX_ROUND_TRIP_NS = TimeUnit.SECONDS.toNanos(10);

  private final AdjacencyId id;
  private final long incarnation;
  private final long nonce;
  private final ReplayWindow window = new ReplayWindow();
  private AdjacencyState state = AdjacencyState.HEARD;
  private NeighbourHello hello;
  private InetAddress source;
  private long helloCounter;
  private long echo;
  private long heardNs;
  private long heardSinceNs;
  private long minRoundTripNs = MAX_ROUND_TRIP_NS;

  Adjacency(AdjacencyId id, long incarnation, long nonce, long nowNs) {
    this.id = id;
    this.incarnation = incarnation;
    this.nonce = nonce;
    this.heardSinceNs = nowNs;
  }

  /** The neighbour and this node's interface. */
  public AdjacencyId id() {
    return id;
  }

  /** The neighbour's incarnation. */
  public long incarnation() {
    return incarnation;
  }

  /** How far both know each other. */
  public AdjacencyState state() {
    return state;
  }

  /** The neighbour's last hello. */
  public NeighbourHello hello() {
    return hello;
  }

  /** Where the neighbour's last hello came from, and where answers go. */
  public InetAddress source() {
    return source;
  }

  /** When the last hello arrived. */
  public long heardNs() {
    return heardNs;
  }

  /** Whether the neighbour's hellos arrive for a time in which it could have heard this node's. */
  public boolean isOneWay(long nowNs) {
    return state == AdjacencyState.HEARD && nowNs - heardSinceNs >= ONE_WAY_NS;
  }

  /** Half of the shortest round trip of hellos, in ns; 0 before there is one. */
  public int latencyNs() {
    return minRoundTripNs >= MAX_ROUND_TRIP_NS
        ? 0
        : (int) Math.min(Integer.MAX_VALUE, minRoundTripNs / 2);
  }

  /** Whether a datagram other than a hello is new. */
  boolean accept(long counter) {
    return window.accept(counter);
  }

  /** Whether a hello is newer than the last; hellos are statements of now, so order counts. */
  boolean acceptHello(long counter) {
    if (!window.accept(counter) || counter <= helloCounter) {
      return false;
    }
    helloCounter = counter;
    return true;
  }

  /**
   * Stores a hello that was accepted.
   *
   * @param self what it says of this node, or null if it says nothing
   * @return whether the neighbour needs an answer, because it has drawn another nonce
   */
  boolean heard(NeighbourHello now, InetAddress from, SeenNeighbour self, long nowNs) {
    hello = now;
    source = from;
    heardNs = nowNs;
    if (self == null) {
      return false;
    }
    boolean isNew = echo != self.nonce();
    echo = self.nonce();
    if (self.echo() == nonce && self.echoedSentNs() != 0) {
      long roundTripNs = nowNs - self.echoedSentNs() - self.delayNs();
      if (roundTripNs > 0) {
        minRoundTripNs = Math.min(minRoundTripNs, roundTripNs);
      }
    }
    return isNew;
  }

  /** Whether a hello proves that the neighbour hears this node now. */
  boolean isEchoed(SeenNeighbour self) {
    return self != null && self.echo() == nonce;
  }

  /** What this node's hello says of the neighbour. */
  SeenNeighbour seen(long nowNs) {
    return new SeenNeighbour(
        id.peer(), id.peerInterfaceIndex(), nonce, echo, hello.sentNs(), nowNs - heardNs);
  }

  /** The one place that changes the state. */
  void moveTo(AdjacencyState next, long nowNs) {
    if (!state.canMoveTo(next)) {
      throw new IllegalStateException(id + ": no arrow from " + state + " to " + next);
    }
    state = next;
    heardSinceNs = nowNs;
  }

  @Override
  public String toString() {
    return hello.name() + "/" + hello.interfaceName() + " " + state;
  }
}
