// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.jfr.FlightEvents;
import io.meshtransport.transport.jfr.HandshakeEnds;
import io.meshtransport.transport.jfr.HandshakeSpan;
import io.meshtransport.transport.route.AddressPair;
import io.meshtransport.transport.route.Candidate;
import io.meshtransport.transport.route.Routes;
import io.meshtransport.verbs.VerbsException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Brings one channel to one peer from NEW to READY: routes, then tries the candidates in the order
 * and at the times of {@link CandidateRace}, each with a queue pair of its own, until one stands.
 * Subclasses know how to shake hands on their wire. Confined to the transport's set-up thread,
 * except {@link #requireFirst} and what else a subclass does on a handshake thread in between.
 */
public abstract class Connector {
  private static final Logger LOG = LogManager.getLogger(Connector.class);

  /** What it may look like when packets take another way than the NIC they were meant for. */
  private static final Set<Reason> ELSEWHERE =
      EnumSet.of(Reason.PEER_UNREACHABLE, Reason.TIMED_OUT, Reason.WRONG_PEER);

  private static final String SILENCE =
      "Is the peer's program stopped, or busy? Is the cable the one that is meant? Does a firewall drop"
          + " what arrives?";

  /** Between two questions to a mesh whether cables lead elsewhere. */
  private static final int DROP_PAUSE_MS = 250;

  public final ConnectContext context;
  private final String name;
  private final Optional<InetAddress> named;
  private final ChannelLifeCycle life = new ChannelLifeCycle("to");
  private final ChannelPromise<SendChannel> opening;
  private final long deadlineNs;
  private final List<String> tried = new ArrayList<>();

  /** Handshakes under way; given up by any thread. */
  private final Map<Candidate, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();

  /** The same, for the flight recorder. Confined to the set-up thread. */
  private final Map<Candidate, HandshakeSpan> spans = new HashMap<>();

  /** What was tried so far, for a caller that does not wait any more. */
  private volatile List<String> course = List.of();

  private CandidateRace race;

  /** What was tried or given up untried. */
  private final Set<AddressPair> raced = new HashSet<>();

  private Reason reason = Reason.PEER_UNREACHABLE;

  /** Those who said that the peer's process is gone, and what the last of them said. */
  private int saidGone;

  private ConnectException gone;

  /**
   * @param name how users know the peer
   * @param named its address that the caller knows, if it knows one
   */
  public Connector(ConnectContext context, String name, Optional<InetAddress> named) {
    this.context = context;
    this.name = name;
    this.named = named;
    this.opening = new ChannelPromise<>("connecting to " + name, this::giveUp, this::soFar);
    this.deadlineNs = System.nanoTime() + context.settings().timeoutNs();
  }

  /** The ways to the peer. */
  public abstract Routes routes();

  /** What a {@link io.meshtransport.spi.Route} has for the peer's id. */
  public abstract String peerId();

  /** The node that is connected to, if its handle names one. */
  public abstract Optional<NodeId> peerNode();

  /**
   * Whether candidates may be tried at the same time: only where {@link #requireFirst} keeps a peer
   * from having two channels.
   */
  public abstract boolean isSideBySide();

  /**
   * Opens a line and begins a handshake over a candidate, to be {@link #await}ed.
   *
   * @param untilNs when to give this candidate up
   */
  public abstract void shakeHands(Candidate candidate, long untilNs) throws VerbsException;

  public final ChannelPromise<SendChannel> opening() {
    return opening;
  }

  public final Optional<InetAddress> named() {
    return named;
  }

  /** How users know the peer. */
  final String name() {
    return name;
  }

  /** For a caller whose time is over; on its thread. */
  private String soFar() {
    List<String> lines = new ArrayList<>(course);
    for (Candidate candidate : underWay.keySet()) {
      lines.add(label(candidate) + ": no channel yet." + KernelRoute.detour(candidate));
    }
    return lines.isEmpty()
        ? SILENCE
        : "Tried so far:\n  " + String.join("\n  ", lines) + "\n" + SILENCE;
  }

  private static String label(Candidate candidate) {
    return candidate.remote().link() + " via " + candidate.nic().label();
  }

  private void giveUp() {
    underWay.values().forEach(handshake -> handshake.cancel(false));
  }

  /** The transport is being closed. */
  final void end() {
    end(
        new TransportException(
            Reason.CLOSED, "connecting to " + name + ": the transport was closed."));
  }

  /** The peer's node is gone, as others know. */
  final void nodeGone(String evidence) {
    end(ChannelFailures.nodeGone("connecting to " + name, evidence));
  }

  private void end(TransportException why) {
    opening.fail(why);
    giveUp();
  }

  /** On the set-up thread. */
  public final void start() {
    guarded(this::begin);
  }

  /** A mistake in our code must end the opening, not leave its waiter to the deadline. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      opening.fail(
          new TransportException(
              Reason.DEVICE, "connecting to " + name + " failed unexpectedly: " + e, e));
      giveUp();
      LOG.error("connecting to {} failed unexpectedly", name, e);
    }
  }

  private void begin() {
    life.become(ChannelState.ROUTING, () -> name);
    Routes routes = routes();
    if (routes.candidates().isEmpty()) {
      // A cable or an address that is a moment old.
      context.rescan().run();
      routes = routes();
    }
    if (routes.candidates().isEmpty()) {
      fail(noRoute(routes));
      return;
    }
    life.become(ChannelState.HANDSHAKING, () -> name);
    race(routes.candidates());
  }

  private void race(List<Candidate> candidates) {
    candidates.forEach(each -> raced.add(each.pair()));
    race =
        new CandidateRace(
            candidates, isSideBySide(), deadlineNs, new Handshakes(), System::nanoTime);
    race.startNext();
    if (candidates.stream().anyMatch(each -> each.pair().isLinkLocal())) {
      dropLater(race);
    }
  }

  /** What a mesh knows of cables may come after the beginning, as where all has just started. */
  private void dropLater(CandidateRace which) {
    CompletableFuture.delayedExecutor(DROP_PAUSE_MS, TimeUnit.MILLISECONDS, context.executor())
        .execute(
            () ->
                guarded(
                    () -> {
                      if (!opening.isDone() && !which.isOver()) {
                        which.drop(each -> offLink(each).isPresent());
                        dropLater(which);
                      }
                    }));
  }

  private Optional<String> offLink(Candidate candidate) {
    return peerNode().flatMap(node -> context.routes().offLink(node, candidate.pair()));
  }

  /**
   * Why there is no route.
   *
   * @param none without a candidate
   */
  TransportException noRoute(Routes none) {
    return context.routes().noRoute(name, none);
  }

  /** The race decides, this acts. */
  private final class Handshakes implements CandidateRace.Attempts {
    @Override
    public void begin(Candidate candidate, long untilNs) {
      if (opening.isDone()) {
        race.end();
        failed(candidate, Reason.CLOSED, "given up");
        return;
      }
      spans.put(candidate, FlightEvents.handshakeBegins(ends(candidate, peerId(), /* rail= */ 0)));
      try {
        shakeHands(candidate, untilNs);
      } catch (VerbsException e) {
        failed(candidate, Reason.NO_RESOURCES, e.getMessage());
      }
    }

    @Override
    public void cancel(Candidate candidate) {
      CompletableFuture<?> handshake = underWay.get(candidate);
      if (handshake != null) {
        handshake.cancel(false);
      }
    }

    @Override
    public void after(long delayNs, Runnable task) {
      CompletableFuture.delayedExecutor(delayNs, TimeUnit.NANOSECONDS, context.executor())
          .execute(() -> guarded(task));
    }

    @Override
    public void exhausted() {
      if (!race.hasDropped() || !goesOn()) {
        fail(
            new TransportException(
                reason,
                "No channel to "
                    + name
                    + ", having tried "
                    + tried.size()
                    + " of its addresses:\n  "
                    + String.join("\n  ", tried),
                // Another host may have one of the peer's addresses on another network: all must
                // agree.
                saidGone == tried.size() ? gone : null));
      }
    }
  }

  /**
   * Once candidates were given up: goes on over what leads to the peer since, as a path over relays
   * may, or says that nothing does.
   *
   * @return false if all that leads there was tried
   */
  private boolean goesOn() {
    Routes now = routes();
    if (now.candidates().isEmpty()) {
      fail(noRoute(now));
      return true;
    }
    List<Candidate> others =
        now.candidates().stream().filter(each -> !raced.contains(each.pair())).toList();
    if (!others.isEmpty()) {
      race(others);
    }
    return !others.isEmpty();
  }

  /**
   * Refuses to go further with a candidate while another one is further: the peer must not see two
   * channels where one is wanted. On a handshake thread, before the line is brought up.
   */
  final void requireFirst(Candidate candidate) throws RefusedException {
    if (!race.acquire(candidate)) {
      throw elsewhere();
    }
  }

  private void confirm(Candidate candidate) throws RefusedException {
    if (!race.confirm(candidate)) {
      throw elsewhere();
    }
  }

  private static RefusedException elsewhere() {
    return new RefusedException("the same connect goes on over another address");
  }

  /** What a handshake over a candidate asks and says while it is under way. */
  final EndpointHandshake.Permit permit(Candidate candidate) {
    return new EndpointHandshake.Permit() {
      @Override
      public void require() throws RefusedException {
        requireFirst(candidate);
      }

      @Override
      public void confirm() throws RefusedException {
        Connector.this.confirm(candidate);
      }

      @Override
      public void connected() {
        race.connected(candidate);
      }
    };
  }

  /** Goes on when a handshake ends: with the line, or without it and with the next candidate. */
  public final <T> void await(
      Candidate candidate,
      VerbsEndpoint line,
      CompletableFuture<T> handshake,
      Consumer<T> established) {
    underWay.put(candidate, handshake);
    if (opening.isDone()) {
      giveUp();
    }
    handshake.whenCompleteAsync(
        (outcome, failure) ->
            guarded(
                () -> {
                  underWay.remove(candidate);
                  if (failure == null) {
                    established.accept(outcome);
                  } else {
                    failed(candidate, line, failure);
                  }
                }),
        context.executor());
  }

  private void failed(Candidate candidate, VerbsEndpoint line, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause.getCause() instanceof BindException
        && isIpv6(candidate)
        && race.tryAgainSoon(candidate)) {
      line.discard();
      spanOf(candidate).failed(Reason.NO_RESOURCES, cause.getMessage());
      return;
    }
    if (cause instanceof HandshakeException handshake) {
      Reason why = ChannelFailures.reasonOf(handshake.reason());
      // Any node may have a link-local address: who answers there need not be where the peer was.
      if (!candidate.pair().isLinkLocal()) {
        noteGone(why, handshake.getCause());
      }
      failed(candidate, line, why, handshake.getMessage());
    } else if (cause instanceof CancellationException) {
      Optional<String> elsewhere = offLink(candidate);
      failed(
          candidate,
          line,
          elsewhere.isPresent() ? Reason.NO_ROUTE : Reason.CLOSED,
          elsewhere.orElse("given up"));
    } else {
      failed(candidate, line, Reason.DEVICE, String.valueOf(cause));
    }
  }

  private static boolean isIpv6(Candidate candidate) {
    return !candidate.local().link().isIpv4();
  }

  private void noteGone(Reason why, Throwable cause) {
    if (why == Reason.WRONG_PEER) {
      saidGone++;
      gone = new ConnectException("another process is at the peer's port");
    } else if (cause instanceof ConnectException refused) {
      saidGone++;
      gone = refused;
    }
  }

  /**
   * Between whom the handshake over a candidate is.
   *
   * @param peerId as {@link #peerId}
   * @param rail number of the rail that it makes
   */
  static HandshakeEnds ends(Candidate candidate, String peerId, int rail) {
    return new HandshakeEnds(
        /* isConnecting= */ true,
        peerId,
        "",
        candidate.nic().label(),
        candidate.local().link().toString(),
        candidate.remote().link().address().getHostAddress(),
        rail);
  }

  /** This candidate leads nowhere: on to the next. */
  final void failed(Candidate candidate, VerbsEndpoint line, Reason why, String text) {
    line.discard();
    failed(candidate, why, text);
  }

  private void failed(Candidate candidate, Reason why, String text) {
    spanOf(candidate).failed(why, text);
    if (!race.hasYielded(candidate)) {
      note(candidate, why, text);
    } else if (race.hasLost(candidate)) {
      LOG.info(
          "to {}: the peer answered over {}, and that was not up in time; tries another address",
          name,
          label(candidate));
    }
    race.failed(candidate);
    if (opening.isDone() && race.isIdle() && life.state() == ChannelState.HANDSHAKING) {
      fail(new TransportException(Reason.CLOSED, "connecting to " + name + " was given up"));
    }
  }

  private HandshakeSpan spanOf(Candidate candidate) {
    HandshakeSpan span = spans.remove(candidate);
    return span == null ? HandshakeSpan.NONE : span;
  }

  /** The state of the channel in the making, which becomes the channel's own. */
  public final ChannelLifeCycle life() {
    return life;
  }

  /** The channel stands. */
  public final <C extends MeshChannel & SendChannel> void ready(Candidate candidate, C channel) {
    spanOf(candidate).ready(channel.route().peerName());
    life.become(ChannelState.READY, channel::readyLine);
    race.won(candidate);
    if (candidate.nic().routes().isDefault()) {
      LOG.info(
          "to {}: goes over {}, the interface of this host's default route, since no other stood first. A"
              + " cable between the two, with a subnet of its own, is used before it",
          name,
          candidate.nic().label());
    }
    if (!context.channels().adopt(channel, peerNode()) || !opening.complete(channel)) {
      channel.close();
    }
  }

  private void note(Candidate candidate, Reason why, String text) {
    // The most specific reason wins: a refusal says more than silence.
    reason =
        tried.isEmpty() || why.retryHelps() == reason.retryHelps() || reason.retryHelps()
            ? why
            : reason;
    String detour = ELSEWHERE.contains(why) ? KernelRoute.detour(candidate) : "";
    tried.add(label(candidate) + ": " + text + detour);
    course = List.copyOf(tried);
  }

  private void fail(TransportException why) {
    life.fail(why.reason(), why.getMessage(), () -> name);
    opening.fail(why);
  }
}
