// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jgroups.Address;

/**
 * Nodes whose process is gone: what follows for the group, and for the directory. A handle is of
 * one life of a process. So where a link to it has ended, and the peer's own host says that nobody
 * is at its port, or another node answers there, that life is over for good. Silence says nothing:
 * the cable may be cut, or the process stopped.
 *
 * <p>The member at such a node is suspected, unless it said goodbye; again at each vain dial, until
 * nobody sends to it any more. The node itself is forgotten once it has been absent for a while.
 * Any thread may call it; nothing here blocks, and what it calls comes on the timer's threads.
 */
final class FailureDetector {
  /** What follows from an absence. */
  interface Consequences {
    /** The process of a member is gone. Unless it is in the view, that is no news. */
    void suspect(Address member);

    /** Whether a node must not be forgotten yet: its member is in the view, or it is a seed's. */
    boolean isNeeded(String id, Optional<Address> member);

    /** The node with that id will not come back. */
    void forget(String id);
  }

  private static final class Life {
    Optional<Address> member = Optional.empty();
    boolean isBroken;
    boolean saidGoodbye;

    /** Stands for the time since it became absent; null while it is not. */
    Object absence;
  }

  private final Consequences consequences;
  private final long forgetAfterMs;
  private final Scheduler later;
  private final Map<String, Life> lives = new HashMap<>();

  /**
   * @param forgetAfterMs how long a node is absent before it is forgotten, milliseconds
   */
  FailureDetector(Consequences consequences, long forgetAfterMs, Scheduler later) {
    this.consequences = consequences;
    this.forgetAfterMs = forgetAfterMs;
    this.later = later;
  }

  /** Whether a dial that failed so proves that the process with that id is gone. */
  static boolean proves(TransportException failure) {
    return failure.getCause() instanceof ConnectException;
  }

  /**
   * A node has said over a channel of its own who it is.
   *
   * @param member its address in the group, if it has one
   */
  synchronized void introduced(String id, Optional<Address> member) {
    Life life = present(id);
    life.member = member.or(() -> life.member);
  }

  /**
   * A link to that node stands. Of one that has not said who it is nothing is remembered: there may
   * be any number of them.
   */
  synchronized void opened(String id) {
    if (lives.containsKey(id)) {
      present(id);
    }
  }

  private Life present(String id) {
    Life life = lives.computeIfAbsent(id, unknown -> new Life());
    life.isBroken = false;
    life.saidGoodbye = false;
    life.absence = null;
    return life;
  }

  /** A link to or from that node, which stood, has ended. */
  synchronized void ended(String id, TransportException why) {
    Life life = lives.get(id);
    if (life != null) {
      life.isBroken = true;
      life.saidGoodbye |= why.reason() == Reason.PEER_CLOSED;
    }
  }

  /** A dial to that node has failed. */
  synchronized void unreached(String id, TransportException why) {
    if (proves(why)) {
      Life life = lives.computeIfAbsent(id, unknown -> new Life());
      suspect(life);
      if (life.absence == null) {
        life.absence = new Object();
        watch(id, life, life.absence);
      }
    }
  }

  /**
   * Another life of the same node has introduced itself. That proves the end of the former one only
   * if its links ended too: two nodes may have one name.
   */
  synchronized void succeeded(String formerId) {
    Life life = lives.remove(formerId);
    if (life != null && life.isBroken) {
      suspect(life);
    }
  }

  /** Whether the last link to or from that node ended with a goodbye. */
  synchronized boolean saidGoodbye(String id) {
    Life life = lives.get(id);
    return life != null && life.saidGoodbye;
  }

  /** The member of the group at that node, if it has introduced itself. */
  synchronized Optional<Address> member(String id) {
    Life life = lives.get(id);
    return life == null ? Optional.empty() : life.member;
  }

  /** The directory knows the node no more. */
  synchronized void departed(String id) {
    lives.remove(id);
  }

  /** Lives of which something is remembered. */
  synchronized int remembered() {
    return lives.size();
  }

  private void suspect(Life life) {
    if (!life.saidGoodbye) {
      life.member.ifPresent(member -> later.after(0, () -> consequences.suspect(member)));
    }
  }

  private void watch(String id, Life life, Object absence) {
    later.after(forgetAfterMs, () -> watched(id, life, absence));
  }

  private void watched(String id, Life life, Object absence) {
    boolean isNeeded = consequences.isNeeded(id, life.member);
    synchronized (this) {
      // It may have been back meanwhile, and may be absent anew: then its time began later.
      if (life.absence != absence || lives.get(id) != life) {
        return;
      }
      if (isNeeded) {
        watch(id, life, absence);
        return;
      }
      lives.remove(id);
    }
    consequences.forget(id);
  }
}
