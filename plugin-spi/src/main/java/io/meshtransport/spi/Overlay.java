// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Carries byte streams between nodes that no cable joins, over nodes between them. A {@link
 * Transport} that has one ({@link Transport#attach}) reaches such nodes too, as a last resort. Any
 * thread may call it; no method but {@link #await} blocks.
 *
 * <p>Made for the transport and for whoever implements a relay; a framework has no use for it.
 */
public interface Overlay {
  /** Name of the virtual NIC of a transport that has one, as in {@link Route#localNic}. */
  String NIC = "relay0";

  /**
   * Accepts flows that other nodes open to this one.
   *
   * @param acceptor replaces the one before; null for none, and then flows of others are refused
   */
  void listen(Acceptor acceptor);

  /**
   * Opens a flow. It can be written to at once; what is wrong is told by {@link
   * OverlayFlow.Listener#onClosed}, also that nothing leads to the node or that it accepts nothing.
   *
   * @param nodeId as {@link Peer#id()}
   * @param port 0 to 65535: what the flow is for, as both ends agree
   * @param listener called by a thread of the overlay, never inside this call
   * @throws IllegalArgumentException if the id is none, or the port is out of range
   */
  OverlayFlow open(String nodeId, int port, OverlayFlow.Listener listener);

  /** Whether a path leads to a node now. */
  boolean reaches(String nodeId);

  /**
   * The path that bytes to a node take now, for people: the names of the nodes between, as in
   * {@code over b, c}; empty if there is none.
   */
  String path(String nodeId);

  /** A node as people know it, for texts: with the name that it gave, if that is known. */
  default Peer peer(String nodeId) {
    return new Peer("", nodeId);
  }

  /**
   * Does what this node has to do for its flows now, on the calling thread and without waiting, and
   * calls listeners. A caller that polls again and again saves the wake-ups of the overlay's own
   * thread, which keeps off for as long as it comes back. Not for listeners to call.
   *
   * @return false if another thread does so just now, or the overlay does not let callers
   */
  default boolean drive() {
    return false;
  }

  /** A caller of {@link #drive} polls no more: the overlay's own thread goes on. */
  default void leave() {}

  /**
   * As {@link #drive}, again and again, asleep while there is nothing to do. A caller that waits
   * for bytes to arrive is woken by them, and not by another thread.
   *
   * @param isOver whether the caller has a reason to stop; who gives it one from another thread
   *     unparks it and calls {@link #wakeWaiters}
   * @param timeoutNs longest wait; may return sooner
   */
  default void await(BooleanSupplier isOver, long timeoutNs) {
    if (!isOver.getAsBoolean()) {
      LockSupport.parkNanos(this, timeoutNs);
    }
  }

  /** Has waits in {@link #await} look at their reason to stop. */
  default void wakeWaiters() {}

  /**
   * Has the current thread's own wait in {@link #await} look at its reason to stop: it has moved
   * other bytes than the overlay's meanwhile, and they gave it one. Does nothing for a thread that
   * does not wait there.
   */
  default void endOwnWait() {}

  /** Accepts the flows that other nodes open. */
  @FunctionalInterface
  interface Acceptor {
    /**
     * Accepts or refuses a flow. Called by a thread of the overlay, which must not be blocked.
     *
     * @param flow to be written to from now on; not yet read
     * @param nodeId of the node that opened it, as {@link Peer#id()}
     * @param port as in {@link Overlay#open}
     * @return who listens to it; null refuses the flow
     */
    OverlayFlow.Listener accept(OverlayFlow flow, String nodeId, int port);
  }

  /** Ends what {@link Transport#attach} began. */
  interface Attachment extends AutoCloseable {
    @Override
    void close();
  }
}
