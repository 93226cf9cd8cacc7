// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.jfr.FlightEvents;
import io.meshtransport.transport.jfr.HandshakeSpan;
import io.meshtransport.transport.rail.ConnectorRails;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.Rails;
import io.meshtransport.transport.route.Candidate;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Sees to it that a channel has the rails that it is to have, as long as it stands: first the
 * further queue pairs of its cables, then other cables, one after the other, then one over a relay,
 * which stands by or is used as well. Each has a handshake of its own over its own cable, which
 * proves that the cable leads to the same node. What cannot be made is tried again after a pause,
 * and when the NICs of this host change or a cable is mended; the channel goes on without
 * meanwhile. Confined to the set-up thread.
 */
final class RailConnector {
  /**
   *
   *
   * <pre>
   * COMPLETE -> TRYING -> COMPLETE    all rails stand
   *               |  ^
   *               v  |
   *              PAUSING -> OVER      the channel is
   * </pre>
   */
  private enum State {
    COMPLETE,
    TRYING,
    PAUSING,
    OVER
  }

  /** A SYN that is lost is repeated after 1 s, so a longer try would not see more. */
  private static final long TRY_NS = TimeUnit.SECONDS.toNanos(2);

  private static final Logger LOG = LogManager.getLogger(RailConnector.class);

  private final ConnectContext context;
  private final Handshaker handshaker;
  private final PeerHandle peer;
  private final ConnectorRails channel;
  private final ConnectSettings wanted;
  private final Function<RailId, EndpointHandshake.Purpose> purposes;
  private final Supplier<List<Candidate>> ways;
  private final RailDamping damping = new RailDamping();
  private final NicListener onChange = nics -> onSetUpThread(this::cablesChanged);
  private final Runnable onMended = () -> onSetUpThread(this::cablesChanged);

  /** Of this round, best first. */
  private final List<Candidate> untried = new ArrayList<>();

  /** Rails of this round, by the way they went. */
  private final Map<Candidate, Integer> tries = new HashMap<>();

  /** Ways that were refused since they worked last, so that it is said once. */
  private final Set<String> refused = new HashSet<>();

  private State state = State.TRYING;
  private RailId ticket;
  private boolean isFirstRound = true;
  private long triedNs;
  private int pauses;

  /**
   * @param ticket of the first rail
   * @param wanted what the channel is to have, if it can
   * @param purposes what the endpoint of each rail is for
   * @param ways to the peer, as they are when it is asked, the best first
   */
  RailConnector(
      ConnectContext context,
      Handshaker handshaker,
      PeerHandle peer,
      ConnectorRails channel,
      RailId ticket,
      ConnectSettings wanted,
      Function<RailId, EndpointHandshake.Purpose> purposes,
      Supplier<List<Candidate>> ways) {
    this.context = context;
    this.handshaker = handshaker;
    this.peer = peer;
    this.channel = channel;
    this.ticket = ticket;
    this.wanted = wanted;
    this.purposes = purposes;
    this.ways = ways;
  }

  /** Begins with the first round. */
  void start() {
    channel.onLost(() -> onSetUpThread(this::railLost));
    guarded(this::tryAll);
  }

  private void onSetUpThread(Runnable task) {
    context.executor().execute(task);
  }

  // --- rounds

  private void tryAll() {
    state = State.TRYING;
    triedNs = System.nanoTime();
    tries.clear();
    untried.clear();
    untried.addAll(ways.get());
    untried.removeIf(this::isCut);
    tryNext();
  }

  /** A mistake in our code costs a round, not the rails for good. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("{}: rails could not be made", channel.route(), e);
      pause();
    }
  }

  private void tryNext() {
    if (context.pending().isClosed() || channel.state() != ChannelState.READY) {
      over();
      return;
    }
    List<Rail> live = channel.liveRails();
    Candidate candidate = next(live);
    if (candidate == null) {
      roundEnded(live);
      return;
    }
    Optional<RailId> free = channel.ticketAfter(ticket);
    if (free.isEmpty()) {
      pause();
      return;
    }
    ticket = free.get();
    begin(candidate, ticket);
  }

  private boolean isCut(Candidate candidate) {
    return context.cuts().isCut(peer.node(), candidate.nic().ifindex(), System.nanoTime());
  }

  private void over() {
    state = State.OVER;
    stopListening();
  }

  private void roundEnded(List<Rail> live) {
    isFirstRound = false;
    int cables = cables(live);
    int onCables = (int) live.stream().filter(rail -> !rail.isStandby()).count();
    if (cables >= wanted.maxCables()
        && onCables >= cables * wanted.queuePairsPerCable()
        && (isStoodBy(live) || !wanted.hasStandby() || !context.routes().mayRelay(peer))) {
      state = State.COMPLETE;
      stopListening();
    } else {
      pause();
    }
  }

  /**
   * A cable that stands and lacks queue pairs, or one more cable, or then the relay; null if there
   * is none to try.
   */
  private Candidate next(List<Rail> live) {
    untried.removeIf(candidate -> tries.getOrDefault(candidate, 0) >= queuePairs(candidate));
    for (Candidate candidate : untried) {
      long standing = live.stream().filter(rail -> isOver(rail, candidate)).count();
      if (standing > 0 && standing < queuePairs(candidate)) {
        return candidate;
      }
    }
    boolean isCableWanted = cables(live) < wanted.maxCables();
    for (Candidate candidate : untried) {
      if (RoutePlanner.isOverlay(candidate.nic())
          ? !isStoodBy(live)
          : isCableWanted && live.stream().noneMatch(rail -> isTaken(rail, candidate))) {
        return candidate;
      }
    }
    return null;
  }

  /** Whether the last of the rails stands by: see {@link Rails}. */
  private static boolean isStoodBy(List<Rail> live) {
    return live.stream()
        .max(Comparator.comparingInt(Rail::number))
        .filter(Rail::isStandby)
        .isPresent();
  }

  private int queuePairs(Candidate candidate) {
    return RoutePlanner.isOverlay(candidate.nic()) ? 1 : wanted.queuePairsPerCable();
  }

  private static int cables(List<Rail> live) {
    return (int)
        live.stream()
            .filter(rail -> !rail.isStandby())
            .map(rail -> rail.endpoint().nic())
            .distinct()
            .count();
  }

  private static boolean isOver(Rail rail, Candidate candidate) {
    return isFrom(rail, candidate) && rail.peerNic() == candidate.remote().nicIndex();
  }

  /** Each NIC has one cable. */
  private static boolean isTaken(Rail rail, Candidate candidate) {
    return isFrom(rail, candidate) || rail.peerNic() == candidate.remote().nicIndex();
  }

  private static boolean isFrom(Rail rail, Candidate candidate) {
    return rail.endpoint().nic().isOf(candidate.nic());
  }

  // --- a rail

  private void begin(Candidate candidate, RailId its) {
    tries.merge(candidate, 1, Integer::sum);
    long tryNs = isFirstRound ? wanted.timeoutNs() : Math.min(TRY_NS, wanted.timeoutNs());
    HandshakeSpan span =
        FlightEvents.handshakeBegins(
            Connector.ends(candidate, peer.node().shortId(), its.number()));
    try {
      EndpointHandshake handshake =
          EndpointHandshake.begin(
              context,
              handshaker,
              peer,
              candidate,
              purposes.apply(its),
              System.nanoTime() + tryNs,
              () -> {});
      handshake
          .outcome()
          .whenCompleteAsync(
              (established, failure) ->
                  guarded(() -> ended(candidate, its, handshake.endpoint(), span, failure)),
              context.executor());
      context.pending().add(handshake.outcome());
    } catch (VerbsException e) {
      span.failed(Reason.NO_RESOURCES, e.getMessage());
      refused(candidate, e);
    }
  }

  private void ended(
      Candidate candidate,
      RailId its,
      MeshEndpoint endpoint,
      HandshakeSpan span,
      Throwable failure) {
    if (failure != null) {
      endpoint.discard();
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      span.failed(
          cause instanceof HandshakeException handshake
              ? ChannelFailures.reasonOf(handshake.reason())
              : Reason.CLOSED,
          String.valueOf(cause.getMessage()));
      refused(candidate, cause);
      return;
    }
    span.ready(channel.route().peerName());
    if (isCut(candidate)) {
      endpoint.discard();
      refused(candidate, new IOException("the cable was cut while its rail was made"));
      return;
    }
    int peerNic = candidate.remote().nicIndex();
    if (!join(new Rail(its.number(), its.place(), endpoint, peerNic, wanted.isStandbyUsed()))) {
      over();
      return;
    }
    damping.joined(System.nanoTime());
    refused.remove(name(candidate));
    LOG.info("{}: rail {} over {}", channel.route(), its.number(), candidate.why());
    tryNext();
  }

  /** What does not join, for whatever reason, is closed. */
  private boolean join(Rail rail) {
    boolean isIn = false;
    try {
      isIn = channel.join(rail);
      return isIn;
    } finally {
      if (!isIn) {
        rail.endpoint().discard();
      }
    }
  }

  private void refused(Candidate candidate, Throwable why) {
    untried.remove(candidate);
    boolean isNews = refused.add(name(candidate));
    LOG.log(
        isNews && !candidate.pair().isLinkLocal() ? Level.WARN : Level.DEBUG,
        "{}: no rail to {}, which is tried again from time to time: {}",
        channel.route(),
        name(candidate),
        why.getMessage());
    tryNext();
  }

  private static String name(Candidate candidate) {
    return candidate.remote().link() + " via " + candidate.nic().label();
  }

  // --- pauses

  private void pause() {
    if (state != State.PAUSING) {
      stopListening();
      context.host().add(onChange);
      context.cuts().add(onMended);
    }
    state = State.PAUSING;
    goOnAfter(damping.nextPauseNs(System.nanoTime()));
  }

  private void stopListening() {
    context.host().remove(onChange);
    context.cuts().remove(onMended);
  }

  private void goOnAfter(long pauseNs) {
    int its = ++pauses;
    CompletableFuture.delayedExecutor(pauseNs, TimeUnit.NANOSECONDS, context.executor())
        .execute(
            () -> {
              if (its == pauses && state == State.PAUSING) {
                guarded(this::tryAll);
              }
            });
  }

  private void railLost() {
    if (state == State.COMPLETE) {
      pause();
    }
  }

  /** A cable may be there again, but not more often than one tries at first. */
  private void cablesChanged() {
    damping.hostChanged(System.nanoTime());
    if (state == State.PAUSING) {
      long sinceNs = System.nanoTime() - triedNs;
      goOnAfter(Math.max(0, RailDamping.FIRST_PAUSE_NS - sinceNs));
    }
  }
}
