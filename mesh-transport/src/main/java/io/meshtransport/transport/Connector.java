package io.meshtransport.transport;

import io.meshtransport.handshake.ConnectRequest;
import io.meshtransport.handshake.Endpoint;
import io.meshtransport.handshake.Established;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Brings one channel to one peer from NEW to READY: routes, then tries the candidates in order,
 * each with a queue pair of its own, until the peer itself answers. Confined to the transport's
 * set-up thread, except {@link #bringUp}, which a handshake thread calls in between.
 */
final class Connector {
  private final MeshTransport transport;
  private final PeerHandle peer;
  private final ChannelLife life = new ChannelLife("to");
  private final ChannelOpening<SendChannel> opening;
  private final long deadlineNs;
  private final List<String> tried = new ArrayList<>();
  private List<Candidate> candidates = List.of();
  private Reason reason = Reason.PEER_UNREACHABLE;
  private volatile CompletableFuture<Established> underWay = new CompletableFuture<>();

  Connector(MeshTransport transport, PeerHandle peer) {
    this.transport = transport;
    this.peer = peer;
    this.opening = new ChannelOpening<>("connecting to " + name(), this::giveUp);
    this.deadlineNs = System.nanoTime() + transport.settings().timeoutNs();
  }

  ChannelOpening<SendChannel> opening() {
    return opening;
  }

  private String name() {
    return "node " + peer.node().brief();
  }

  private void giveUp() {
    underWay.cancel(false);
  }

  /** The transport is being closed. */
  void end() {
    opening.fail(
        new TransportException(
            Reason.CLOSED, "connecting to " + name() + ": the transport was closed."));
    giveUp();
  }

  /** On the set-up thread. */
  void start() {
    guarded(this::begin);
  }

  /** A mistake in our code must end the opening, not leave its waiter to the deadline. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      opening.fail(
          new TransportException(
              Reason.DEVICE, "connecting to " + name() + " failed unexpectedly: " + e, e));
      throw e;
    }
  }

  private void begin() {
    life.become(ChannelState.ROUTING, this::name);
    Routes routes = transport.route(peer);
    candidates = routes.candidates();
    if (candidates.isEmpty()) {
      fail(new TransportException(Reason.NO_ROUTE, routes.noRouteText(name())));
      return;
    }
    life.become(ChannelState.HANDSHAKING, this::name);
    tryNext();
  }

  private void tryNext() {
    if (opening.isDone()) {
      fail(new TransportException(Reason.CLOSED, "connecting to " + name() + " was given up"));
      return;
    }
    if (tried.size() == candidates.size()) {
      fail(
          new TransportException(
              reason,
              "No channel to "
                  + name()
                  + ", having tried "
                  + tried.size()
                  + " of its addresses:\n  "
                  + String.join("\n  ", tried)));
      return;
    }
    Candidate candidate = candidates.get(tried.size());
    OpenNic nic = transport.openNic(candidate.nic());
    try {
      Link link = Link.open(nic, candidate.local().gid(), LinkSizes.SENDER, transport.randomPsn());
      shakeHands(candidate, link);
    } catch (VerbsException e) {
      note(candidate, Reason.NO_RESOURCES, e.getMessage());
      tryNext();
    }
  }

  private void shakeHands(Candidate candidate, Link link) {
    ConnectRequest request =
        new ConnectRequest(
            candidate.local().link().address(),
            new InetSocketAddress(candidate.remote().link().address(), peer.handshakePort()),
            peer.node(),
            link.nic().index(),
            candidate.remote().nicIndex(),
            transport.endpoint(link, peer.listenerId()),
            shareOfDeadline());
    underWay = transport.handshaker().connect(request, (nonce, theirs) -> bringUp(link, theirs));
    if (opening.isDone()) {
      giveUp();
    }
    underWay.whenCompleteAsync(
        (established, failure) -> guarded(() -> finish(candidate, link, established, failure)),
        transport.setUp());
  }

  /**
   * An equal part of the time that is left for each candidate that is left, so that a silent one
   * leaves the others theirs.
   */
  private long shareOfDeadline() {
    long nowNs = System.nanoTime();
    return nowNs + Math.max(0, deadlineNs - nowNs) / (candidates.size() - tried.size());
  }

  private void bringUp(Link link, Endpoint theirs) throws RefusedException {
    try {
      link.connect(PeerQueuePair.of(theirs), transport.settings().link());
    } catch (VerbsException | IllegalArgumentException e) {
      throw new RefusedException("the connecting side cannot bring up its queue pair", e);
    }
  }

  private void finish(Candidate candidate, Link link, Established established, Throwable failure) {
    if (failure == null) {
      finish(candidate, link, established);
      return;
    }
    MeshTransport.discard(link);
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof HandshakeException handshake) {
      note(candidate, Failures.reasonOf(handshake.reason()), handshake.getMessage());
    } else {
      note(
          candidate,
          cause instanceof CancellationException ? Reason.CLOSED : Reason.DEVICE,
          String.valueOf(cause));
    }
    tryNext();
  }

  private void finish(Candidate candidate, Link link, Established established) {
    ChannelParameters theirs;
    try {
      theirs = ChannelParameters.decode(established.peerEndpoint().parameters());
    } catch (IllegalArgumentException e) {
      MeshTransport.discard(link);
      note(candidate, Reason.PROTOCOL, e.getMessage());
      tryNext();
      return;
    }
    ready(candidate, link, established, link.partBytes(theirs));
  }

  private void ready(Candidate candidate, Link link, Established established, long partBytes) {
    Way way =
        new Way(
            peer.node().brief(),
            candidate.nic().label(),
            candidate.local(),
            candidate.remote().link().address(),
            candidate.subnet(),
            candidate.why());
    MeshSendChannel channel =
        new MeshSendChannel(transport, life, link, way.route(established.durationNs()), partBytes);
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
    life.fail(why.reason(), this::name);
    opening.fail(why);
  }
}
