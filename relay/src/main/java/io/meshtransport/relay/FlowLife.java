// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The phase of a flow and its listener, which hears nothing after the end. Any thread may change
 * the phase; the listener is called by the relay's alone.
 */
final class FlowLife {
  private static final Logger LOG = LogManager.getLogger(FlowLife.class);

  /** Changes in {@link #become(FlowPhase)}. */
  private volatile FlowPhase phase = FlowPhase.OPEN;

  private OverlayFlow.Listener listener;

  /** Before the relay's thread has the flow. */
  void listen(OverlayFlow.Listener newListener) {
    listener = newListener;
  }

  FlowPhase phase() {
    return phase;
  }

  boolean is(FlowPhase wanted) {
    return phase == wanted;
  }

  boolean isHeard() {
    return phase.isHeard();
  }

  /** Goes on to a phase; false if no arrow leads there: the program may abort it at any time. */
  synchronized boolean become(FlowPhase next) {
    if (!phase.mayBecome(next)) {
      return false;
    }
    LOG.trace("{}, was {}", next, phase);
    phase = next;
    return true;
  }

  /** As {@link #become(FlowPhase)}, and the listener hears that this is the end if it may. */
  boolean become(FlowPhase next, OverlayFlow.End end, String evidence) {
    boolean wasHeard;
    synchronized (this) {
      wasHeard = isHeard();
      if (!become(next)) {
        return false;
      }
    }
    if (wasHeard) {
      closed(end, evidence);
    }
    return true;
  }

  private void closed(OverlayFlow.End end, String evidence) {
    try {
      listener.onClosed(end, evidence);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  /** Has the listener take bytes. */
  void offer(ByteBuffer bytes) {
    if (isHeard()) {
      try {
        listener.onBytes(bytes);
      } catch (RuntimeException e) {
        failed(e);
      }
    }
  }

  /** There is space again. */
  void writable() {
    if (isHeard()) {
      try {
        listener.onWritable();
      } catch (RuntimeException e) {
        failed(e);
      }
    }
  }

  private static void failed(RuntimeException why) {
    LOG.warn("a listener of a flow failed", why);
  }
}
