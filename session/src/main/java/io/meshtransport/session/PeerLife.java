// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The state of one peer: which connection there is, which is being opened, and when the next one is
 * to be opened. The session's thread moves it on; any thread may read it.
 *
 * <p>If both nodes open a connection at one time, that of the node with the smaller id is the one:
 * its end keeps the other as a candidate until its own has succeeded or failed, and the other end
 * gives its own attempt up. A connection that comes while another is open is a candidate as well:
 * the peer opens one only if it has lost the former, which this end then notices soon.
 */
final class PeerLife {
  /** How soon a link that was refused for want of a welcome is looked at again. */
  private static final long UNWELCOME_NS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final ReconnectPauses pauses;

  private PeerState state = PeerState.DOWN;

  /** Welcome if the state is OPEN; else one that waits for the peer's welcome, or null. */
  private Link link;

  /** Opened by the peer; welcome if the link, or the attempt, is lost. */
  private Link candidate;

  private long candidateUntilNs;
  private CompletableFuture<?> attempt;
  private long attemptUntilNs;
  private boolean isWanted;
  private long openedNs;
  private long nextAttemptNs;
  private TransportException failure;
  private Peer last;

  /** Whether the last process has said goodbye, or is known to have ended. */
  private boolean isLastGone;

  PeerLife(String name, SessionOptions options, long nowNs) {
    this.name = name;
    pauses = new ReconnectPauses(options);
    nextAttemptNs = nowNs;
  }

  synchronized PeerState state() {
    return state;
  }

  synchronized Optional<Peer> lastPeer() {
    return Optional.ofNullable(last);
  }

  synchronized Optional<Route> route() {
    return state == PeerState.OPEN ? Optional.of(link.connection.route()) : Optional.empty();
  }

  synchronized Optional<TransportException> failure() {
    return Optional.ofNullable(failure).map(TransportException::copy);
  }

  /** Whether there is a connection to that process, or one that waits for its welcome. */
  synchronized boolean isConnectedTo(String nodeId) {
    return link != null && link.connection.peer().id().equals(nodeId);
  }

  /** The link to the node with that id; null if it is not connected to it. */
  synchronized Link linkTo(String nodeId) {
    return isConnectedTo(nodeId) ? link : null;
  }

  /** Whether messages go over a connection to another process than that one. */
  synchronized boolean isOpenToAnother(String nodeId) {
    return state == PeerState.OPEN && !link.connection.peer().id().equals(nodeId);
  }

  /** A connection is wanted now, whatever the pause. */
  synchronized void connectNow(long nowNs) {
    isWanted = true;
    pauses.reset();
    nextAttemptNs = nowNs;
  }

  /**
   * A connection is wanted after the pause, if there is one.
   *
   * @return whether that is news
   */
  synchronized boolean need() {
    boolean isNews = !isWanted && state == PeerState.DOWN;
    isWanted = true;
    return isNews;
  }

  /** Whether an attempt to connect is due. */
  synchronized boolean isAttemptDue(long nowNs) {
    return state == PeerState.DOWN && isWanted && nextAttemptNs - nowNs <= 0;
  }

  /**
   * The link that has waited for the peer's welcome for too long; null if there is none. It is
   * answered once, and again only if it is still there a second later.
   */
  synchronized Link unwelcome(long nowNs) {
    if (state != PeerState.CONNECTING || attempt != null || attemptUntilNs - nowNs > 0) {
      return null;
    }
    attemptUntilNs = nowNs + UNWELCOME_NS;
    return link;
  }

  /** Gives up an attempt that takes too long; its future then fails. */
  void cancelExpiredAttempt(long nowNs) {
    CompletableFuture<?> expired;
    synchronized (this) {
      boolean isExpired = state == PeerState.CONNECTING && attemptUntilNs - nowNs <= 0;
      expired = isExpired ? attempt : null;
    }
    if (expired != null) {
      expired.cancel(true);
    }
  }

  /** The candidate that has waited for too long, which is none any more; null if there is none. */
  synchronized Link expiredCandidate(long nowNs) {
    if (candidate == null || candidateUntilNs - nowNs > 0) {
      return null;
    }
    Link expired = candidate;
    candidate = null;
    return expired;
  }

  /** When something is due next, on the clock of System.nanoTime; Long.MAX_VALUE for never. */
  synchronized long nextDueNs() {
    long nextNs = candidate == null ? Long.MAX_VALUE : candidateUntilNs;
    if (state == PeerState.CONNECTING) {
      nextNs = Math.min(nextNs, attemptUntilNs);
    } else if (state == PeerState.DOWN && isWanted) {
      nextNs = Math.min(nextNs, nextAttemptNs);
    }
    return nextNs;
  }

  /** An attempt to connect begins, if there is none. */
  synchronized boolean beginAttempt(long untilNs) {
    if (state != PeerState.DOWN) {
      return false;
    }
    become(PeerState.CONNECTING);
    attemptUntilNs = untilNs;
    return true;
  }

  /** The attempt that has begun, which is cancelled if the peer's own is preferred. */
  synchronized void attempting(CompletableFuture<?> future) {
    attempt = future;
  }

  /**
   * A connection whose peer's name was not known when it was begun is there: it takes the place of
   * an attempt in progress.
   *
   * @param untilNs how long it may wait for the peer's welcome
   * @return whether it is wanted: not while there is another connection
   */
  synchronized boolean adopt(CompletableFuture<?> future, long untilNs) {
    if (state == PeerState.CONNECTING && attempt != null) {
      abandonAttempt(List.of());
    }
    if (!beginAttempt(untilNs)) {
      return false;
    }
    attempting(future);
    return true;
  }

  /** Whether an attempt is the one in progress. */
  synchronized boolean isAttempt(CompletableFuture<?> of) {
    return state == PeerState.CONNECTING && attempt == of;
  }

  /**
   * An attempt has a connection, which waits for the peer's welcome.
   *
   * @param untilNs how long it may wait
   * @return whether it is wanted
   */
  synchronized boolean dialed(CompletableFuture<?> of, Link dialed, long untilNs) {
    if (!isAttempt(of)) {
      return false;
    }
    attempt = null;
    attemptUntilNs = untilNs;
    link = dialed;
    return true;
  }

  /** The connection that messages go over, or may soon. */
  synchronized Optional<Connection> connection() {
    return Optional.ofNullable(link).map(each -> each.connection);
  }

  /** What becomes of a connection that the peer has opened. */
  enum Choice {
    /** It is the one from now on. */
    WELCOME,
    /** It waits for what becomes of another one. */
    WAIT,
    /** The peer was removed, or the session is closed. */
    REFUSE
  }

  /**
   * The peer has opened a connection.
   *
   * @param untilNs how long it may be a candidate
   * @param replaced gets what is to be closed in its favour
   */
  synchronized Choice offered(Link accepted, String ownId, long untilNs, List<Link> replaced) {
    if (state == PeerState.CLOSED) {
      return Choice.REFUSE;
    }
    boolean isOwnPreferred = ownId.compareTo(accepted.connection.peer().id()) < 0;
    if (state == PeerState.CONNECTING && !isOwnPreferred) {
      abandonAttempt(replaced);
    }
    if (state == PeerState.DOWN) {
      return Choice.WELCOME;
    }
    if (candidate != null) {
      replaced.add(candidate);
    }
    candidate = accepted;
    candidateUntilNs = untilNs;
    return Choice.WAIT;
  }

  private void abandonAttempt(List<Link> replaced) {
    if (attempt != null) {
      attempt.cancel(true);
      attempt = null;
    }
    if (link != null) {
      replaced.add(link);
      link = null;
    }
    become(PeerState.DOWN);
  }

  /**
   * What has become of a link that is to be the one.
   *
   * @param isOpen false if the peer was removed meanwhile
   * @param former the id of a former process of this node whose end it shows; null if it shows none
   */
  record Opened(boolean isOpen, String former) {}

  /** This link is the one from now on. */
  synchronized Opened open(Link opened, long nowNs) {
    if (state == PeerState.CLOSED) {
      return new Opened(false, null);
    }
    link = opened;
    become(PeerState.OPEN);
    openedNs = nowNs;
    failure = null;
    Peer now = opened.connection.peer();
    boolean isOther = last != null && !last.id().equals(now.id());
    String former = isOther && !isLastGone ? last.id() : null;
    last = now;
    isLastGone = false;
    return new Opened(true, former);
  }

  /**
   * What the end of a link, or of an attempt, has changed.
   *
   * @param isOwn false if it was no matter: a candidate, or one that another has replaced
   * @param promoted the candidate that is the one from now on; null if there is none
   */
  record Ended(boolean isOwn, boolean wasOpen, Link promoted) {
    static final Ended NO_MATTER = new Ended(false, false, null);
  }

  /**
   * A link has ended.
   *
   * @param isNeeded whether something waits for the next one
   */
  synchronized Ended ended(Link gone, TransportException why, long nowNs, boolean isNeeded) {
    if (gone == candidate) {
      candidate = null;
    }
    if (gone != link || state == PeerState.CLOSED) {
      return Ended.NO_MATTER;
    }
    boolean wasOpen = state == PeerState.OPEN;
    boolean isGoodbye = wasOpen && why.reason() == Reason.PEER_CLOSED;
    isLastGone |= isGoodbye;
    // A peer that has left in good order is not called back for what was wanted before.
    isWanted = isNeeded || isWanted && !isGoodbye;
    link = null;
    return down(why, wasOpen, nowNs);
  }

  /** An attempt has failed before there was a connection. */
  synchronized Ended attemptFailed(CompletableFuture<?> of, TransportException why, long nowNs) {
    if (!isAttempt(of)) {
      return Ended.NO_MATTER;
    }
    attempt = null;
    return down(why, false, nowNs);
  }

  private Ended down(TransportException why, boolean wasOpen, long nowNs) {
    become(PeerState.DOWN);
    failure = why;
    // One that is lost soon again and again is opened again after pauses too.
    boolean hasLasted = wasOpen && nowNs - openedNs >= pauses.longestNs();
    if (hasLasted) {
      pauses.reset();
    }
    nextAttemptNs = nowNs + (hasLasted ? 0 : pauses.nextPauseNs());
    Link promoted = candidate;
    candidate = null;
    return new Ended(true, wasOpen, promoted);
  }

  /**
   * The process with that id has ended for certain.
   *
   * @return whether that is news: it was the last one here, and had not said goodbye
   */
  synchronized boolean processEnded(String nodeId) {
    boolean isNews = last != null && !isLastGone && last.id().equals(nodeId);
    isLastGone |= isNews;
    return isNews;
  }

  /** Ends it for good, and adds the links that are to be closed. */
  synchronized void close(List<Link> links) {
    if (state == PeerState.CLOSED) {
      return;
    }
    if (attempt != null) {
      attempt.cancel(true);
      attempt = null;
    }
    for (Link each : new Link[] {link, candidate}) {
      if (each != null) {
        links.add(each);
      }
    }
    link = null;
    candidate = null;
    become(PeerState.CLOSED);
  }

  /** The only place that changes the state. */
  private void become(PeerState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(
          "the session with " + name + " cannot go from " + state + " to " + next);
    }
    state = next;
  }

  @Override
  public synchronized String toString() {
    return state + (failure == null ? "" : ", " + failure.summary());
  }
}
