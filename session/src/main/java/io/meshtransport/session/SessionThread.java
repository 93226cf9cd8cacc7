// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.time.PausingWait;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The one thread of a session: waits for all of its connections at once, gives what has completed
 * to whom it concerns, and does what is due. Any thread may call {@link #dueAt}, {@link #dueNow},
 * {@link #awaitSlots}, {@link #later} and {@link #isCurrent}.
 */
final class SessionThread {
  private static final Logger LOG = LogManager.getLogger(SessionThread.class);

  private static final int COMPLETIONS = 128;
  private static final int FIRST_LINKS = 8;
  private static final long ERROR_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(3);

  private final Session session;
  private final Poller poller;
  private final Thread thread;
  private final Completions completions = new Completions(COMPLETIONS);
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final long originNs = System.nanoTime();

  /** When something is due next, in nanoseconds since the origin; Long.MAX_VALUE for never. */
  private final AtomicLong dueNs = new AtomicLong(Long.MAX_VALUE);

  /** By number, with gaps. */
  private Link[] links = new Link[FIRST_LINKS];

  private final ConnectionClosers closers;
  private final Refusals refusals;
  private PeerConnector connector;
  private FrameDispatch frames;

  /** Outboxes whose next message waits for a free slot of the pool. */
  private final Set<Outbox> withoutSlot = ConcurrentHashMap.newKeySet();

  /** Of the links' memory: this thread, once it is started, and the thread that closes. */
  private final AtomicInteger users = new AtomicInteger(1);

  private volatile boolean areSlotsFree;
  private volatile boolean isEnded;

  /** Once the transport is closed, what is due is all that this thread does. */
  private final PausingWait pausingWait;

  /**
   * @param poller this object's to close
   * @param closers of the session's connections
   */
  SessionThread(Session session, Poller poller, ConnectionClosers closers, Refusals refusals) {
    this.session = session;
    this.closers = closers;
    this.refusals = refusals;
    this.poller = poller;
    pausingWait =
        new PausingWait(
            timeoutNs -> poller.await(completions, timeoutNs),
            why -> LOG.warn("{}: cannot wait for its connections: {}", session.name(), why));
    thread = new Thread(this::run, "mesh-session-" + session.name());
    thread.setDaemon(true);
  }

  void start(PeerConnector peerConnector, FrameDispatch frameDispatch) {
    connector = peerConnector;
    frames = frameDispatch;
    users.incrementAndGet();
    thread.start();
  }

  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /** Something of a peer is due at that time: all peers are visited then. */
  void dueAt(long atNs) {
    long at = atNs - originNs;
    long known = dueNs.get();
    while (at < known) {
      if (dueNs.compareAndSet(known, at)) {
        if (!isCurrent()) {
          poller.wakeup();
        }
        return;
      }
      known = dueNs.get();
    }
  }

  /** Something of a peer is due at once. */
  void dueNow() {
    dueAt(System.nanoTime());
  }

  /** A message waits for a slot: its queue goes on when one is free. */
  void awaitSlot(Outbox outbox) {
    withoutSlot.add(outbox);
    hastenReports();
  }

  /**
   * The slots of sends that have ended are wanted: a thread that sleeps does not ask for reports of
   * the last few sends on a connection before it wakes.
   */
  void hastenReports() {
    if (!isCurrent()) {
      poller.wakeup();
    }
  }

  /** A slot is free. */
  void slotFreed() {
    if (!withoutSlot.isEmpty()) {
      areSlotsFree = true;
      if (!isCurrent()) {
        poller.wakeup();
      }
    }
  }

  /**
   * Runs a task soon, on this thread.
   *
   * @return false if the thread has ended, and the task will not run
   */
  boolean later(Runnable task) {
    tasks.add(task);
    if (isEnded && tasks.remove(task)) {
      return false;
    }
    poller.wakeup();
    return true;
  }

  private void run() {
    while (!session.isClosed()) {
      try {
        step();
      } catch (Throwable e) {
        if (!session.isClosed()) {
          LOG.error("{}: the session's thread met {} and goes on", session.name(), e.toString(), e);
          LockSupport.parkNanos(ERROR_PAUSE_NS);
        }
      }
    }
    releaseLinks();
  }

  private void step() {
    runTasks();
    long nowNs = System.nanoTime();
    if (dueNs.get() <= nowNs - originNs) {
      dueNs.set(Long.MAX_VALUE);
      sweep(nowNs);
    }
    long due = dueNs.get();
    long leftNs = due == Long.MAX_VALUE ? LONGEST_WAIT_NS : due - (nowNs - originNs);
    int count = pausingWait.await(Math.max(0, leftNs));
    for (int i = 0; i < count; i++) {
      try {
        completed(i);
      } catch (Throwable e) {
        // What has completed besides is reported once only.
        LOG.error("{}: a completion met {}", session.name(), e.toString(), e);
      }
    }
    if (areSlotsFree) {
      areSlotsFree = false;
      for (Outbox each : withoutSlot) {
        withoutSlot.remove(each);
        each.resume();
      }
    }
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private void sweep(long nowNs) {
    for (PeerSession each : session.peers()) {
      long callNs = each.expireCalls(nowNs);
      Link unwelcome = each.life().unwelcome(nowNs);
      if (unwelcome != null) {
        refusals.refuse(
            unwelcome, "it has not welcomed the connection in time (SessionOptions.reconnect)");
      }
      each.life().cancelExpiredAttempt(nowNs);
      Link expired = each.life().expiredCandidate(nowNs);
      if (expired != null) {
        connector.refuseExpired(expired);
      }
      if (each.life().isAttemptDue(nowNs)) {
        connector.connect(each);
      }
      long nextNs = Math.min(callNs, each.life().nextDueNs());
      if (nextNs != Long.MAX_VALUE) {
        dueAt(nextNs);
      }
    }
  }

  private void completed(int i) {
    if (completions.kind(i) == CompletionKind.CLOSED) {
      Link gone = linkOf(completions.connection(i));
      if (gone != null) {
        links[gone.index()] = null;
        gone.release();
        connector.ended(gone, completions.failure(i));
        if (gone.refusal == null) {
          // It has ended by itself, and has a place in the transport until it is closed.
          refusals.close(gone.connection);
        }
      }
      return;
    }
    long userData = completions.userData(i);
    Link link = links[Link.indexOf(userData)];
    if (link == null) {
      // Of a connection that was closed before it was a link.
      return;
    }
    CompletionKind kind = completions.kind(i);
    if (!Link.isReceive(userData)) {
      boolean isSuccess = kind != CompletionKind.FAILED;
      link.peer.outbox().sendEnded(link, session.pool().slot(Link.slotOf(userData)), isSuccess);
    } else if (kind == CompletionKind.MESSAGE && link.refusal == null) {
      frames.received(link, completions.offsetBytes(i), completions.lengthBytes(i));
    } else if (kind == CompletionKind.RECEIVED && link.refusal == null) {
      link.post(Link.slotOf(userData));
    } else if (kind == CompletionKind.FAILED && link.refusal == null && isTooLong(i)) {
      // All else ends the connection by itself.
      refusals.refuse(link, "it sends a frame that is longer than a slot");
    }
  }

  private boolean isTooLong(int i) {
    return completions.failure(i).reason() == TransportException.Reason.MESSAGE_TOO_LONG;
  }

  private Link linkOf(Connection connection) {
    for (Link each : links) {
      if (each != null && each.connection == connection) {
        return each;
      }
    }
    return null;
  }

  /**
   * Polls a connection from now on, with all of its receives posted.
   *
   * @throws TransportException if there is no memory for them; the connection stays the caller's
   */
  Link link(Connection connection, boolean isDialed, Transport transport, SessionOptions options)
      throws TransportException {
    int index = 0;
    while (index < links.length && links[index] != null) {
      index++;
    }
    if (index == links.length) {
      links = Arrays.copyOf(links, 2 * links.length);
    }
    poller.add(connection);
    links[index] = new Link(this::isCurrent, index, connection, isDialed, transport, options);
    return links[index];
  }

  /**
   * Ends the thread of a closed session, and closes all its connections.
   *
   * @param timeoutNs for the thread, and again for the connections
   */
  void end(long timeoutNs) throws InterruptedException {
    poller.wakeup();
    if (!isCurrent()) {
      thread.join(TimeUnit.NANOSECONDS.toMillis(timeoutNs));
    }
    // Connections that were accepted or opened meanwhile, which a closed session refuses.
    isEnded = true;
    runTasks();
    connector.close();
    for (Link each : links) {
      if (each != null && each.refusal == null) {
        refusals.close(each.connection);
      }
    }
    closers.await(timeoutNs);
  }

  /**
   * Gives everything back, after {@link #end}. What a handler has, which has not returned by then,
   * the thread gives back itself.
   */
  void release() {
    poller.close();
    releaseLinks();
  }

  /** The second time: neither a handler reads what has arrived, nor does a connection go on. */
  private void releaseLinks() {
    if (users.decrementAndGet() > 0) {
      return;
    }
    for (Link each : links) {
      if (each != null) {
        each.release();
      }
    }
  }
}
