// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;

/**
 * What a program has of a {@link Flow}. Any thread may call it: bytes go to the flow's {@link
 * SendingHalf}, and what else is asked for waits here until the relay's thread does it.
 */
final class FlowHandle implements OverlayFlow {
  private final RelayNode node;
  private final Flow flow;
  private final FlowLife life;
  private final FlowPatience patience;
  private final SendingHalf sending;
  private volatile boolean isResumed;
  private volatile boolean isProbed;
  private volatile boolean isDetour;

  FlowHandle(RelayNode node, Flow flow, FlowLife life, FlowPatience patience, SendingHalf sending) {
    this.node = node;
    this.flow = flow;
    this.life = life;
    this.patience = patience;
    this.sending = sending;
  }

  @Override
  public int write(ByteBuffer source) {
    if (!life.isHeard()) {
      return 0;
    }
    int taken;
    boolean isDue;
    synchronized (sending) {
      taken = sending.write(source);
      isDue = sending.flushIfDue();
    }
    scheduleIf(isDue);
    return taken;
  }

  @Override
  public int writableBytes(int wantedBytes) {
    if (!life.isHeard()) {
      return 0;
    }
    int freeBytes;
    boolean isDue;
    synchronized (sending) {
      freeBytes = sending.freeBytes(wantedBytes);
      isDue = sending.flushIfDue();
    }
    scheduleIf(isDue);
    return freeBytes;
  }

  @Override
  public void flush() {
    scheduleIf(sending.flush());
  }

  private void scheduleIf(boolean isDue) {
    if (isDue) {
      node.schedule(flow);
    }
  }

  @Override
  public void resume() {
    isResumed = true;
    node.schedule(flow);
  }

  /** Whether {@link #resume} was called since the last call of this. */
  boolean takeResumed() {
    boolean wasResumed = isResumed;
    if (wasResumed) {
      isResumed = false;
    }
    return wasResumed;
  }

  @Override
  public long probe() {
    requestProbe();
    node.schedule(flow);
    return patience.silentNs(node.nowNs());
  }

  /** The next chunk asks for an answer. */
  void requestProbe() {
    isProbed = true;
  }

  boolean isProbed() {
    return isProbed;
  }

  /** Whether the chunk that is made now asks for an answer. */
  boolean takeProbed() {
    boolean wasProbed = isProbed;
    if (wasProbed) {
      isProbed = false;
    }
    return wasProbed;
  }

  @Override
  public void takeDetour() {
    isDetour = true;
    node.rerouteSoon();
  }

  /** Whether the flow is to avoid the cable that joins its ends. */
  boolean isDetour() {
    return isDetour;
  }

  @Override
  public void close() {
    sending.close();
    node.schedule(flow);
  }

  @Override
  public void abort() {
    scheduleIf(life.become(FlowPhase.ABORTED));
  }

  @Override
  public String toString() {
    return flow.toString();
  }
}
