package io.meshtransport.jgroups;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.nio.ByteBuffer;
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
final class Absences {
  /** What follows from an absence. */
  interface Consequences {
    /** The process of a member is gone. Unless it is in the view, that is no news. */
    void suspect(Address member);

    /** Whether a node must not be forgotten yet: its member is in the view, or it is a seed's. */
    boolean isNeeded(byte[] handle, Optional<Address> member);

    /** The node with that handle will not come back. */
    void forget(byte[] handle);
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
  private final Later later;
  private final Map<ByteBuffer, Life> lives = new HashMap<>();

  /**
   * @param forgetAfterMs how long a node is absent before it is forgotten, milliseconds
   */
  Absences(Consequences consequences, long forgetAfterMs, Later later) {
    this.consequences = consequences;
    this.forgetAfterMs = forgetAfterMs;
    this.later = later;
  }

  /** Whether a dial that failed so proves that the process with that handle is gone. */
  static boolean proves(TransportException failure) {
    return failure.getCause() instanceof ConnectException;
  }

  /**
   * A node has said over a channel of its own who it is.
   *
   * @param member its address in the group, if it has one
   */
  synchronized void introduced(byte[] handle, Optional<Address> member) {
    Life life = present(handle);
    life.member = member.or(() -> life.member);
  }

  /** A link to that handle stands. */
  synchronized void opened(byte[] handle) {
    present(handle);
  }

  private Life present(byte[] handle) {
    Life life = lives.computeIfAbsent(key(handle), unknown -> new Life());
    life.isBroken = false;
    life.saidGoodbye = false;
    life.absence = null;
    return life;
  }

  /** A link to or from that handle, which stood, has ended. */
  synchronized void ended(byte[] handle, TransportException why) {
    Life life = lives.get(key(handle));
    if (life != null) {
      life.isBroken = true;
      life.saidGoodbye |= why.reason() == Reason.PEER_CLOSED;
    }
  }

  /** A dial to that handle has failed. */
  synchronized void unreached(byte[] handle, TransportException why) {
    if (proves(why)) {
      Life life = lives.computeIfAbsent(key(handle), unknown -> new Life());
      suspect(life);
      if (life.absence == null) {
        life.absence = new Object();
        watch(handle, life, life.absence);
      }
    }
  }

  /**
   * Another life of the same node has introduced itself. That proves the end of the former one only
   * if its links ended too: two nodes may have one name.
   */
  synchronized void succeeded(byte[] formerHandle) {
    Life life = lives.remove(key(formerHandle));
    if (life != null && life.isBroken) {
      suspect(life);
    }
  }

  /** Whether the last link to or from that handle ended with a goodbye. */
  synchronized boolean saidGoodbye(byte[] handle) {
    Life life = lives.get(key(handle));
    return life != null && life.saidGoodbye;
  }

  /** The member of the group at that handle, if it has introduced itself. */
  synchronized Optional<Address> member(byte[] handle) {
    Life life = lives.get(key(handle));
    return life == null ? Optional.empty() : life.member;
  }

  /** The directory knows the node no more. */
  synchronized void departed(byte[] handle) {
    lives.remove(key(handle));
  }

  private void suspect(Life life) {
    if (!life.saidGoodbye) {
      life.member.ifPresent(member -> later.after(0, () -> consequences.suspect(member)));
    }
  }

  private void watch(byte[] handle, Life life, Object absence) {
    later.after(forgetAfterMs, () -> watched(handle, life, absence));
  }

  private void watched(byte[] handle, Life life, Object absence) {
    boolean isNeeded = consequences.isNeeded(handle, life.member);
    synchronized (this) {
      // It may have been back meanwhile, and may be absent anew: then its time began later.
      if (life.absence != absence || lives.get(key(handle)) != life) {
        return;
      }
      if (isNeeded) {
        watch(handle, life, absence);
        return;
      }
      lives.remove(key(handle));
    }
    consequences.forget(handle);
  }

  private static ByteBuffer key(byte[] handle) {
    return ByteBuffer.wrap(handle.clone());
  }
}
