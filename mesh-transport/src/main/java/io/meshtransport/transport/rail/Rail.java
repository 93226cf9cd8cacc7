// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.LifeCycleState;
import io.meshtransport.transport.endpoint.MeshEndpoint;

/**
 * One endpoint of a multi-rail channel. Owned by its channel, which closes the endpoint when it
 * closes. Confined to the channel's lock.
 */
public final class Rail {
  /**
   * The life of a rail.
   *
   * <pre>
   * LIVE -> FAILING -> DRAINING -> GONE
   *            |                     ^
   *            +---------------------+   an end that need not know what the peer got through
   * </pre>
   */
  public enum State implements LifeCycleState<State> {
    /** Carries bytes. */
    LIVE,
    /** Something on it failed; what to do about it comes when what completed has been read. */
    FAILING,
    /** In ERR: it gives back its receives, which shows which messages still came. */
    DRAINING,
    /** Its queue pair is destroyed: nothing comes over it, and no memory is touched any more. */
    GONE;

    @Override
    public boolean mayBecome(State next) {
      return switch (next) {
        case LIVE -> false;
        case FAILING -> this == LIVE;
        case DRAINING -> this == FAILING;
        case GONE -> this == FAILING || this == DRAINING;
      };
    }
  }

  private final int number;
  private final int place;
  private final MeshEndpoint endpoint;
  private final int peerNic;
  private final boolean isStandby;
  private final boolean isBeside;
  private State state = State.LIVE;
  private TransportException why;

  /** Receives that were posted again, less those that are over. */
  private int receivesAgain;

  private boolean isProbed;
  private boolean isDiscarded;
  private long drainingSinceNs;

  /** One that stands by if it goes over a relay. */
  public Rail(int number, int place, MeshEndpoint endpoint, int peerNic) {
    this(number, place, endpoint, peerNic, false);
  }

  /**
   * @param number among all that the channel ever has, the same at both ends, ascending as they
   *     join
   * @param place among those that there are at once, below {@link Rails#MAX}
   * @param peerNic of the peer's NICs, in its own order, the one that it leads to
   * @param isBeside whether it carries parts of long messages beside cables, also if it goes over a
   *     relay
   */
  public Rail(int number, int place, MeshEndpoint endpoint, int peerNic, boolean isBeside) {
    this.number = number;
    this.place = place;
    this.endpoint = endpoint;
    this.peerNic = peerNic;
    this.isStandby = endpoint.nic().nic().netdev().equals(Overlay.NIC);
    this.isBeside = isBeside || !isStandby;
  }

  public int number() {
    return number;
  }

  /** What the two ends call it while it is there; another rail has the place when it is gone. */
  public int place() {
    return place;
  }

  /** Its bit in sets of rails. */
  public long bit() {
    return 1L << place;
  }

  public MeshEndpoint endpoint() {
    return endpoint;
  }

  public int peerNic() {
    return peerNic;
  }

  /**
   * Whether it goes over a relay: it is the primary only while no other rail is live, and carries
   * nothing before, unless it is one that {@link #isBeside}.
   */
  public boolean isStandby() {
    return isStandby;
  }

  /** Whether it carries parts of long messages while other rails are live. */
  boolean isBeside() {
    return isBeside;
  }

  public State state() {
    return state;
  }

  public boolean is(State wanted) {
    return state == wanted;
  }

  public boolean isLive() {
    return state == State.LIVE;
  }

  /** Why it failed. */
  public TransportException why() {
    return why;
  }

  /** Something on it failed; of several reasons the first is kept. */
  public void fail(TransportException reason) {
    if (state == State.LIVE) {
      why = reason;
      become(State.FAILING);
    }
  }

  public void drain(long nowNs) {
    drainingSinceNs = nowNs;
    become(State.DRAINING);
  }

  public void gone() {
    become(State.GONE);
  }

  private void become(State next) {
    state = state.next(next, this);
  }

  /** How long it has been draining. */
  public long drainingNs(long nowNs) {
    return nowNs - drainingSinceNs;
  }

  /** A receive is over, with a message or without. */
  public void receiveEnded() {
    receivesAgain--;
  }

  public void receivePosted() {
    receivesAgain++;
  }

  /** Whether every receive is over, so that whatever the peer got through has been seen. */
  public boolean isDrained() {
    return endpoint.receivesPosted() + receivesAgain == 0;
  }

  /** Whether its endpoint is closed, and only its number is left. */
  boolean isDiscarded() {
    return isDiscarded;
  }

  /** Its endpoint is closed; the rail is gone. */
  void discarded() {
    isDiscarded = true;
  }

  /** Whether a keepalive is on its way there and has no answer. */
  boolean isProbed() {
    return isProbed;
  }

  void probed() {
    isProbed = true;
  }

  void answered() {
    isProbed = false;
  }

  /** Its number, for texts. */
  @Override
  public String toString() {
    return "rail " + number;
  }
}
