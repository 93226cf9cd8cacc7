// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.logging.Log;

/**
 * The connection to one peer: the channel that this node opened to it, and a thread that opens it
 * on request and sends what its senders have queued. Has neither a thread nor memory until a
 * connection is requested. Made by {@link Links}, which closes it. Any thread may call it.
 *
 * <p>Its parts: {@link LinkCore} has the state ({@link LinkState}) under one lock, {@link
 * LinkSender} sends, {@link LinkWorker} is the thread, {@link LinkDialer} opens.
 */
public final class OutboundLink implements AutoCloseable {
  /**
   * What the links of one node have in common.
   *
   * @param sendTimeoutNs how long a sender waits for the peer
   * @param firstPauseMs pause after a first failure, milliseconds
   * @param maxPauseMs longest pause after repeated failures, milliseconds
   */
  record Terms(
      Links links, SendBufferPool pool, long sendTimeoutNs, long firstPauseMs, long maxPauseMs) {}

  /** What a link serves; the only transition is TRIAL -> TRAFFIC. */
  private enum Use {
    /** To find out who answers at a handle: only the directory has been sent. */
    TRIAL,
    /** Messages were sent, or are about to be. */
    TRAFFIC
  }

  private final String id;
  private final Terms terms;
  private final Log log;
  private final ReentrantLock fragmentLock = new ReentrantLock();
  private final LinkCore core;
  private final LinkDialer dialer = new LinkDialer();
  private final LinkWorker worker;
  private final LinkSender sender;

  private volatile byte[] handle;
  private volatile String description = "not opened yet";
  private Use use = Use.TRIAL;

  /**
   * @param id of the peer
   * @param handle of the peer at first
   */
  OutboundLink(String id, byte[] handle, Terms terms, Log log) {
    this.id = id;
    this.handle = handle.clone();
    this.terms = terms;
    this.log = log;
    BackOff backOff = new BackOff(terms.firstPauseMs(), terms.maxPauseMs());
    core = new LinkCore(terms.links(), terms.pool(), new RetryPause(backOff, System.nanoTime()));
    worker = new LinkWorker(this, core, dialer, terms, log);
    sender = new LinkSender(core, worker, terms.links(), id, terms.sendTimeoutNs());
  }

  String id() {
    return id;
  }

  byte[] handle() {
    return handle.clone();
  }

  /** The peer has other addresses now. An open channel stays; the next dial goes there. */
  void updateHandle(byte[] newer) {
    if (!Arrays.equals(handle, newer)) {
      handle = newer.clone();
      retryNow();
    }
  }

  /**
   * Messages are to be sent over this link.
   *
   * @return whether that is possible: not on a closed link
   */
  boolean useForTraffic() {
    core.lock();
    try {
      boolean isUsable = core.state() != LinkState.CLOSED;
      if (isUsable) {
        use = Use.TRAFFIC;
      }
      return isUsable;
    } finally {
      core.unlock();
    }
  }

  /**
   * Closes a link that has served as a trial only.
   *
   * @return whether it is closed
   */
  boolean closeIfUnused() {
    core.lock();
    try {
      if (use == Use.TRIAL) {
        close();
      }
      return core.state() == LinkState.CLOSED;
    } finally {
      core.unlock();
    }
  }

  /** Whether messages other than the directory were to be sent over it so far. */
  boolean isUsed() {
    core.lock();
    try {
      return use == Use.TRAFFIC;
    } finally {
      core.unlock();
    }
  }

  /** Opens the link if it is not open, which introduces this node to the peer. Never blocks. */
  void connect() {
    core.lock();
    try {
      core.requests().add(LinkRequest.CONNECT);
      worker.wake();
    } catch (OutOfMemoryError e) {
      log.warn("No thread for the link to node %s: %s", terms.links().nameOf(id), e.toString());
    } finally {
      core.unlock();
    }
  }

  /**
   * Cables or addresses have changed, here or at the peer: ends the pause of a link that is down,
   * and begins a dial in progress again once it has lasted long. Never blocks.
   */
  void retryNow() {
    dialer.restartIfSlow(terms.links()::after);
    core.lock();
    try {
      long nowNs = System.nanoTime();
      core.pause().reset();
      if (core.state().isDown()) {
        core.pause().end(nowNs);
        if (core.requests().contains(LinkRequest.CONNECT)
            || core.pause().wasMessageRefusedLately(nowNs)) {
          connect();
        }
      }
    } finally {
      core.unlock();
    }
  }

  /** Sends the peer a directory message to see whether it is alive, opening the link if needed. */
  PeerLiveness.Probe probe() {
    core.lock();
    try {
      boolean isOpen = core.state() == LinkState.OPEN;
      boolean isOneInFlight = isOpen && core.channel().directory().isInFlight();
      PeerLiveness.Probe probe = core.liveness().probe(core.delivered(), isOneInFlight);
      if (isOpen) {
        core.channel().directory().announce();
      }
      connect();
      return probe;
    } finally {
      core.unlock();
    }
  }

  /** The outcome of a probe so far. */
  PeerLiveness.Verdict verdict(PeerLiveness.Probe probe) {
    core.lock();
    try {
      if (core.state() == LinkState.OPEN && core.channel().directory().isInFlight()) {
        core.sendDirectory();
      }
      return core.liveness().verdict(probe, core.delivered());
    } finally {
      core.unlock();
    }
  }

  /** The peer may be gone: drives the channel at once instead of at the next send. Never blocks. */
  void checkNow() {
    core.lock();
    try {
      core.requests().add(LinkRequest.CHECK);
      core.work().signal();
    } finally {
      core.unlock();
    }
  }

  /** The directory has changed: sends it to the peer. Never blocks. */
  void announceDirectory() {
    core.lock();
    try {
      if (core.channel() != null) {
        core.channel().directory().announce();
        core.work().signal();
      }
    } finally {
      core.unlock();
    }
  }

  LinkState state() {
    core.lock();
    try {
      return core.state();
    } finally {
      core.unlock();
    }
  }

  /** For {@link #toString}: the route of the last channel opened. */
  void describe(String route) {
    description = route;
  }

  @Override
  public String toString() {
    return state() + ", " + description;
  }

  /**
   * Sends a buffer if that is possible at once; one of its references is then the link's.
   *
   * @return whether it was; if not, the reference stays the caller's
   * @throws SocketException if the peer cannot be reached right now, or has consumed nothing for
   *     the send timeout
   */
  boolean trySend(int buffer, int lengthBytes) throws SocketException {
    return sender.trySend(buffer, lengthBytes);
  }

  /**
   * Sends a buffer, waiting for earlier ones to leave.
   *
   * @param deadlineNs on the clock of System.nanoTime
   * @throws SocketException as above, and if the time passed; the reference stays the caller's
   */
  void send(int buffer, int lengthBytes, long deadlineNs)
      throws SocketException, InterruptedException {
    sender.send(buffer, lengthBytes, deadlineNs);
  }

  /** Locked while the fragments of one bundle are sent: the peer reassembles one at a time. */
  ReentrantLock fragmentLock() {
    return fragmentLock;
  }

  /** Releases the buffers of completed sends. Never blocks. */
  void reap() {
    if (core.tryLock()) {
      try {
        core.reap();
      } finally {
        core.unlock();
      }
    }
  }

  /** Ends the link and announces that to the peer, on its thread: see {@link #join}. Idempotent. */
  @Override
  public void close() {
    core.lock();
    try {
      if (core.become(LinkState.CLOSED)) {
        // With the lock: the thread that reads CLOSED was interrupted before.
        worker.interrupt();
      }
    } finally {
      core.unlock();
    }
  }

  /** Waits for the end of its thread. */
  void join(long maxMs) throws InterruptedException {
    Thread ending;
    core.lock();
    try {
      ending = worker.thread();
    } finally {
      core.unlock();
    }
    if (ending != null) {
      ending.join(Math.max(1, maxMs));
    }
  }
}
