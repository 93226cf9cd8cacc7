package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One accepted connection, from its first byte to READY. Made by {@link Reception}; confined to the
 * event loop.
 */
final class InboundHandshake extends HandshakeChannel {
  private static final Logger LOG = LogManager.getLogger(InboundHandshake.class);

  private final Reception reception;
  private final Identity identity;
  private InboundState state = InboundState.SILENT;
  private long acceptedNs;
  private Future<?> deadline;
  private Hello hello;
  private Optional<Transcript> transcript = Optional.empty();
  private Offer offer;
  private Reason doom = Reason.CLOSED;
  private String doomText = "";

  InboundHandshake(Reception reception) {
    super(reception.counters());
    this.reception = reception;
    identity = reception.identity();
  }

  private void become(InboundState to) {
    if (!state.mayBecome(to)) {
      throw new IllegalStateException("accepted handshake: " + state + " cannot become " + to);
    }
    LOG.trace("{}: {} -> {}", this, state, to);
    state = to;
  }

  @Override
  void opened() {
    acceptedNs = identity.nowNs();
    reception.arrived(this);
  }

  /** How long ago the connection was accepted, in nanoseconds. */
  long ageNs() {
    return identity.nowNs() - acceptedNs;
  }

  /** Drops a connection that has not been let in: without a word, since it said nothing either. */
  void leaveDoorstep() {
    become(InboundState.FAILED);
    reception.left(this);
    hangUp();
  }

  @Override
  void received(Frame frame, byte[] raw) throws WireException {
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.said());
      hangUp();
    } else if (state == InboundState.SILENT && frame instanceof Hello said && !said.isAnswer()) {
      hello = said;
      greet(raw);
    } else if (state == InboundState.CHALLENGED && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().connectorProof(), proof);
      letIn();
    } else if (state == InboundState.OFFERED && new Ready(hello.nonce()).equals(frame)) {
      become(InboundState.ESTABLISHING);
      offer.establish();
    } else {
      throw new WireException(
          Reason.GARBAGE, FrameHeader.type(raw) + " came out of turn, in state " + state);
    }
  }

  private void greet(byte[] raw) throws WireException {
    requireMeant();
    if (identity.secret().isEmpty()) {
      letIn();
      return;
    }
    byte[] random = new byte[Challenge.RANDOM_BYTES];
    identity.random().nextBytes(random);
    byte[] challenge = new Challenge(hello.nonce(), random).encode();
    Transcript begun = new Transcript(identity.secret().get(), hello.nonce(), raw);
    begun.challenged(challenge);
    transcript = Optional.of(begun);
    become(InboundState.CHALLENGED);
    send(challenge);
  }

  private void requireMeant() throws WireException {
    if (!hello.receiver().equals(identity.self())) {
      throw new WireException(
          Reason.WRONG_NODE,
          "Asked for " + hello.receiver().brief() + ", this is " + identity.self().brief() + ".");
    }
    identity.requireJob(hello);
    if (hello.hasSecret() != identity.secret().isPresent()) {
      throw new WireException(
          hello.hasSecret() ? Reason.SECRET_UNEXPECTED : Reason.SECRET_MISSING, "");
    }
  }

  private void letIn() throws WireException {
    if (!reception.isNew(hello.nonce())) {
      throw new WireException(Reason.REPLAY, "");
    }
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(reception.settings().timeoutMs());
    deadline = reception.after(timeoutNs - ageNs(), this::timedOut);
    become(InboundState.WAITING);
    if (!reception.letIn(this)) {
      throw new WireException(Reason.BUSY, "The line of waiting HELLOs is full.");
    }
  }

  private void timedOut() {
    refuse(Reason.TIMED_OUT, "Accepted, then " + state + " for too long.");
  }

  /** A place is free: have the owner make a queue pair. */
  void placeGranted() {
    become(InboundState.OFFERING);
    offer =
        new Offer(
            reception,
            this,
            hello.forOwner(),
            (InetSocketAddress) channel().localAddress(),
            (InetSocketAddress) channel().remoteAddress());
    offer.make();
  }

  /** The owner has made a queue pair that can receive. */
  void offered(Endpoint mine) {
    reception.counters().count(Counter.OFFERED);
    if (state == InboundState.DOOMED) {
      abandon(doom, doomText);
      return;
    }
    become(InboundState.OFFERED);
    byte[] back = hello.answer(identity.capabilities(), mine).encode();
    if (transcript.isPresent()) {
      transcript.get().answered(back);
      send(back, transcript.get().acceptorProof().encode());
    } else {
      send(back);
    }
  }

  /** The owner has made no queue pair. */
  void offerRefused(String why) {
    if (state == InboundState.OFFERING) {
      reception.counters().countInboundFailure(Reason.REFUSED_HERE);
      sendLast(new Refuse(Reason.REFUSED_BY_PEER, why));
    }
    leavePlace(InboundState.FAILED);
  }

  /** The owner knows that the connection stands. */
  void established() {
    reception.counters().count(Counter.ESTABLISHED_INBOUND);
    // We close first: the port that then lingers in TIME_WAIT is our own, not one of the peer's
    // ephemeral ports, of which it has only 28,000 per address (ip(7), ip_local_port_range).
    sendLast(new Ready(hello.nonce()));
    LOG.debug("{}: established", offer);
    leavePlace(InboundState.ESTABLISHED);
  }

  /** The owner could not take the connection after all. */
  void establishedFailed(String why) {
    reception.counters().countInboundFailure(Reason.REFUSED_HERE);
    sendLast(new Refuse(Reason.REFUSED_BY_PEER, why));
    leavePlace(InboundState.FAILED);
  }

  /** The owner has given the queue pair back. */
  void abandoned() {
    leavePlace(InboundState.FAILED);
  }

  private void cancelDeadline() {
    // On the doorstep there is none: Reception sweeps it.
    if (deadline != null) {
      deadline.cancel(false);
    }
  }

  private void leavePlace(InboundState end) {
    cancelDeadline();
    become(end);
    reception.leftPlace(this);
  }

  @Override
  void malformed(Reason reason, String text) {
    refuse(reason, text);
  }

  /** Ends the handshake, if that still can be, and tells the peer why. */
  void refuse(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    // First, so that who sees the end of the connection finds it counted.
    fail(reason, text);
    if (reason.isTold()) {
      sendLast(new Refuse(reason, text));
    } else {
      hangUp();
    }
  }

  @Override
  void lost(String why) {
    if (state == InboundState.SILENT) {
      reception.counters().count(Counter.LEFT_SILENT);
      leaveDoorstep();
    } else {
      fail(Reason.PEER_CLOSED, "Namely: " + why + ".");
    }
  }

  private void fail(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    reception.counters().countInboundFailure(reason);
    if (state == InboundState.OFFERING) {
      become(InboundState.DOOMED);
      doom = reason;
      doomText = text;
    } else if (state == InboundState.OFFERED) {
      abandon(reason, text);
    } else {
      cancelDeadline();
      become(InboundState.FAILED);
      reception.left(this);
    }
  }

  private void abandon(Reason reason, String text) {
    become(InboundState.ABANDONING);
    reception.counters().count(Counter.ABANDONED);
    offer.abandon(new HandshakeException(reason, offer.toString(), text, null));
  }
}
