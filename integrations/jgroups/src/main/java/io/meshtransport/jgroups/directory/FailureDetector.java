// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jgroups.Address;

/**
 * Detects nodes whose process has ended, and has the group and the directory informed. A handle
 * belongs to one process. So once a link to it has ended, and the peer's own host refuses
 * connections to its port, or another node answers there, that process has ended for good. Silence
 * proves nothing: the cable may be cut, or the process stopped.
 *
 * <p>The member at such a node is suspected, unless it closed its link in an orderly way; again at
 * each failed dial, for as long as messages are sent to it. The node itself is removed once it has
 * been absent for a while. Any thread may call it; nothing here blocks, and what it calls comes on
 * the timer's threads.
 */
public final class FailureDetector {
  /** What is done about a process that has ended. */
  public interface FailureActions {
    /** The process of a member has ended. That matters only if it is in the view. */
    void suspect(Address member);

    /**
     * Whether a node must not be removed yet: its member is in the view, or it was found at a seed.
     */
    boolean isNeeded(String id, Optional<Address> member);

    /** Removes the node with that id, which will not come back. */
    void removeNode(String id);
  }

  private static final class TrackedNode {
    Optional<Address> member = Optional.empty();
    boolean isBroken;
    boolean closedOrderly;

    /** Identifies the node's current absence; null while the node is present. */
    Object absence;
  }

  private final FailureActions actions;
  private final long forgetAfterMs;
  private final Scheduler scheduler;
  private final Map<String, TrackedNode> tracked = new HashMap<>();

  /**
   * @param forgetAfterMs how long a node is absent before it is removed, milliseconds
   */
  public FailureDetector(FailureActions consequences, long forgetAfterMs, Scheduler scheduler) {
    this.actions = consequences;
    this.forgetAfterMs = forgetAfterMs;
    this.scheduler = scheduler;
  }

  /** Whether a dial that failed with this proves that the process with that id has ended. */
  public static boolean provesDeath(TransportException failure) {
    return failure.getCause() instanceof ConnectException;
  }

  /**
   * A node has introduced itself over a channel of its own.
   *
   * @param member its address in the group, if it has one
   */
  public synchronized void introduced(String id, Optional<Address> member) {
    TrackedNode life = present(id);
    life.member = member.or(() -> life.member);
  }

  /**
   * A link to that node is open. A node that has not introduced itself is not tracked: there may be
   * any number of them.
   */
  public synchronized void opened(String id) {
    if (tracked.containsKey(id)) {
      present(id);
    }
  }

  private TrackedNode present(String id) {
    TrackedNode life = tracked.computeIfAbsent(id, unknown -> new TrackedNode());
    life.isBroken = false;
    life.closedOrderly = false;
    life.absence = null;
    return life;
  }

  /** A link to or from that node, which was open, has ended. */
  public synchronized void ended(String id, TransportException why) {
    TrackedNode life = tracked.get(id);
    if (life != null) {
      life.isBroken = true;
      life.closedOrderly |= why.reason() == Reason.PEER_CLOSED;
    }
  }

  /** A dial to that node has failed. */
  public synchronized void unreachable(String id, TransportException why) {
    if (provesDeath(why)) {
      TrackedNode life = tracked.computeIfAbsent(id, unknown -> new TrackedNode());
      suspect(life);
      if (life.absence == null) {
        life.absence = new Object();
        watch(id, life, life.absence);
      }
    }
  }

  /**
   * Another process of the same node has introduced itself. That proves the end of the former one
   * only if its links ended too: two nodes may have one name.
   */
  public synchronized void replaced(String formerId) {
    TrackedNode life = tracked.remove(formerId);
    if (life != null && life.isBroken) {
      suspect(life);
    }
  }

  /** Whether the last link to or from that node was closed in an orderly way. */
  public synchronized boolean closedOrderly(String id) {
    TrackedNode life = tracked.get(id);
    return life != null && life.closedOrderly;
  }

  /** The member of the group at that node, if it has introduced itself. */
  public synchronized Optional<Address> member(String id) {
    TrackedNode life = tracked.get(id);
    return life == null ? Optional.empty() : life.member;
  }

  /** The directory has removed the node. */
  public synchronized void removed(String id) {
    tracked.remove(id);
  }

  /** How many nodes are tracked. */
  public synchronized int trackedNodes() {
    return tracked.size();
  }

  private void suspect(TrackedNode life) {
    if (!life.closedOrderly) {
      life.member.ifPresent(member -> scheduler.after(0, () -> actions.suspect(member)));
    }
  }

  private void watch(String id, TrackedNode life, Object absence) {
    scheduler.after(forgetAfterMs, () -> watched(id, life, absence));
  }

  private void watched(String id, TrackedNode life, Object absence) {
    boolean isNeeded = actions.isNeeded(id, life.member);
    synchronized (this) {
      // It may have been back meanwhile and be absent again: then its time began later.
      if (life.absence != absence || tracked.get(id) != life) {
        return;
      }
      if (isNeeded) {
        watch(id, life, absence);
        return;
      }
      tracked.remove(id);
    }
    actions.removeNode(id);
  }
}
