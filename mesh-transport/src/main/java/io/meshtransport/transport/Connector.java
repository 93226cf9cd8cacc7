package io.meshtransport.transport;

import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.VerbsException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Brings one channel to one peer from NEW to READY: routes, then tries the candidates in order,
 * each with a queue pair of its own, until one stands. Subclasses know how to shake hands on their
 * wire. Confined to the transport's set-up thread, except what a subclass does on a handshake
 * thread in between.
 */
abstract class Connector {
  /**
   * A host that refuses does so at once; what the kernel says of one that is silent looks the same,
   * after 3 s at the earliest (tcp_syn_retries is 1 or more).
   */
  private static final long PROMPT_NS = TimeUnit.SECONDS.toNanos(2);

  final MeshTransport transport;
  private final String name;
  private final ChannelLife life = new ChannelLife("to");
  private final ChannelOpening<SendChannel> opening;
  private final long deadlineNs;
  private final List<String> tried = new ArrayList<>();
  private List<Candidate> candidates = List.of();
  private Reason reason = Reason.PEER_UNREACHABLE;
  private long begunNs;

  /** Those who said that the peer's process is gone, and what the last of them said. */
  private int saidGone;

  private ConnectException gone;
  private volatile CompletableFuture<?> underWay = new CompletableFuture<>();

  /**
   * @param name how users know the peer
   */
  Connector(MeshTransport transport, String name) {
    this.transport = transport;
    this.name = name;
    this.opening = new ChannelOpening<>("connecting to " + name, this::giveUp);
    this.deadlineNs = System.nanoTime() + transport.settings().timeoutNs();
  }

  /** The ways to the peer. */
  abstract Routes routes();

  /**
   * Opens a line and begins a handshake over a candidate, to be {@link #await}ed.
   *
   * @param untilNs when to give this candidate up
   */
  abstract void shakeHands(Candidate candidate, long untilNs) throws VerbsException;

  final ChannelOpening<SendChannel> opening() {
    return opening;
  }

  private void giveUp() {
    underWay.cancel(false);
  }

  /** The transport is being closed. */
  final void end() {
    opening.fail(
        new TransportException(
            Reason.CLOSED, "connecting to " + name + ": the transport was closed."));
    giveUp();
  }

  /** On the set-up thread. */
  final void start() {
    guarded(this::begin);
  }

  /** A mistake in our code must end the opening, not leave its waiter to the deadline. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      opening.fail(
          new TransportException(
              Reason.DEVICE, "connecting to " + name + " failed unexpectedly: " + e, e));
      throw e;
    }
  }

  private void begin() {
    life.become(ChannelState.ROUTING, () -> name);
    Routes routes = routes();
    if (routes.candidates().isEmpty()) {
      // A cable or an address that is a moment old.
      transport.lookAtHost();
      routes = routes();
    }
    candidates = routes.candidates();
    if (candidates.isEmpty()) {
      fail(transport.noRoute(name, routes));
      return;
    }
    life.become(ChannelState.HANDSHAKING, () -> name);
    tryNext();
  }

  private void tryNext() {
    if (opening.isDone()) {
      fail(new TransportException(Reason.CLOSED, "connecting to " + name + " was given up"));
      return;
    }
    if (tried.size() == candidates.size()) {
      fail(
          new TransportException(
              reason,
              "No channel to "
                  + name
                  + ", having tried "
                  + tried.size()
                  + " of its addresses:\n  "
                  + String.join("\n  ", tried),
              // A stranger may hold one of the peer's addresses on another network: all must agree.
              saidGone == tried.size() ? gone : null));
      return;
    }
    Candidate candidate = candidates.get(tried.size());
    begunNs = System.nanoTime();
    try {
      shakeHands(candidate, shareOfDeadline());
    } catch (VerbsException e) {
      note(candidate, Reason.NO_RESOURCES, e.getMessage());
      tryNext();
    }
  }

  /**
   * An equal part of the time that is left for each candidate that is left, so that a silent one
   * leaves the others theirs.
   */
  private long shareOfDeadline() {
    long nowNs = System.nanoTime();
    return nowNs + Math.max(0, deadlineNs - nowNs) / (candidates.size() - tried.size());
  }

  /** Goes on when a handshake ends: with the line, or without it and with the next candidate. */
  final <T> void await(
      Candidate candidate, Line line, CompletableFuture<T> handshake, Consumer<T> established) {
    underWay = handshake;
    if (opening.isDone()) {
      giveUp();
    }
    handshake.whenCompleteAsync(
        (outcome, failure) ->
            guarded(
                () -> {
                  if (failure == null) {
                    established.accept(outcome);
                  } else {
                    failed(candidate, line, failure);
                  }
                }),
        transport.setUp());
  }

  private void failed(Candidate candidate, Line line, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof HandshakeException handshake) {
      Reason why = Failures.reasonOf(handshake.reason());
      if (why == Reason.WRONG_PEER) {
        saidGone++;
        gone = new ConnectException("another process is at the peer's port");
      } else if (handshake.getCause() instanceof ConnectException nobody
          && System.nanoTime() - begunNs < PROMPT_NS) {
        saidGone++;
        gone = nobody;
      }
      failed(candidate, line, why, handshake.getMessage());
    } else {
      failed(
          candidate,
          line,
          cause instanceof CancellationException ? Reason.CLOSED : Reason.DEVICE,
          String.valueOf(cause));
    }
  }

  /** This candidate leads nowhere: on to the next. */
  final void failed(Candidate candidate, Line line, Reason why, String text) {
    MeshTransport.discard(line);
    note(candidate, why, text);
    tryNext();
  }

  /** Which way a candidate goes. */
  final Way way(String peer, Candidate candidate) {
    return new Way(
        peer,
        candidate.nic().label(),
        candidate.local(),
        candidate.remote().link().address(),
        candidate.subnet(),
        candidate.why());
  }

  /** The state of the channel in the making, which becomes the channel's own. */
  final ChannelLife life() {
    return life;
  }

  /** The channel stands. */
  final <C extends MeshChannel & SendChannel> void ready(C channel) {
    life.become(ChannelState.READY, channel::readyLine);
    if (!transport.adopt(channel) || !opening.complete(channel)) {
      channel.close();
    }
  }

  private void note(Candidate candidate, Reason why, String text) {
    // The most telling reason wins: somebody who said no tells more than nobody answering.
    reason =
        tried.isEmpty() || why.retryHelps() == reason.retryHelps() || reason.retryHelps()
            ? why
            : reason;
    tried.add(candidate.remote().link() + " via " + candidate.nic().label() + ": " + text);
  }

  private void fail(TransportException why) {
    life.fail(why.reason(), () -> name);
    opening.fail(why);
  }
}
