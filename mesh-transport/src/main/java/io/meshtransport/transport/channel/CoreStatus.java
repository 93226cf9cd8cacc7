// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.TransportException;

/**
 * What any thread may read of a channel: its state, why it has failed, and how much has happened.
 * Written with the channel's lock.
 */
public final class CoreStatus {
  private final ChannelLifeCycle life;
  private final WaitingThreads waiting;

  /** Why this end is about to break, or was when it was closed; else null. */
  private volatile TransportException failing;

  private volatile TransportException broken;

  private volatile long progressCount;

  CoreStatus(ChannelLifeCycle life, WaitingThreads waiting) {
    this.life = life;
    this.waiting = waiting;
  }

  /** The state that callers see. */
  public ChannelState state() {
    return life.state();
  }

  /** Whether requests may begin. */
  public boolean isReady() {
    return life.state() == ChannelState.READY;
  }

  /** Whether there is something to poll. */
  public boolean isLive() {
    ChannelState now = life.state();
    return now == ChannelState.READY || now == ChannelState.DRAINING;
  }

  /**
   * Whether a new request may begin; if not, {@link MeshChannel#failure} says why. After close it
   * may not: another thread may have closed it a moment ago.
   */
  public boolean mayBegin() {
    return isReady() && failing == null;
  }

  /** Whether this end is about to break, and waits until the peer's device has the reason. */
  boolean isFailing() {
    return failing != null;
  }

  /** This end is about to break. */
  void fails(TransportException why) {
    failing = why;
  }

  /** This end breaks. */
  void breaks(TransportException why) {
    broken = why;
  }

  /** Why this channel has failed, or is about to; null if neither. */
  TransportException failure() {
    TransportException over = broken;
    return over == null ? failing : over;
  }

  /** How much has happened here so far. */
  long progressCount() {
    return progressCount;
  }

  /** Something has happened, which a thread may wait for. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void progressed(int times) {
    progressCount += times;
    waiting.progressed();
  }
}
