package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One attempt of a {@link Dial}: one TCP connection, from its HELLO to the peer's READY, under a
 * nonce of its own. Confined to the event loop. Tells its dial exactly once how it ended.
 */
final class OutboundHandshake extends HandshakeChannel {
  private static final Logger LOG = LogManager.getLogger(OutboundHandshake.class);

  private final Dial dial;
  private final Identity identity;
  private final ConnectionNonce nonce;
  private OutboundState state = OutboundState.CONNECTING;
  private Optional<Transcript> transcript = Optional.empty();
  private Endpoint peer;
  private Reason doom;
  private String doomText;

  OutboundHandshake(Dial dial, Identity identity, HandshakeCounters counters) {
    super(counters);
    this.dial = dial;
    this.identity = identity;
    nonce = ConnectionNonce.random(identity.random());
  }

  private void become(OutboundState to) {
    if (!state.mayBecome(to)) {
      throw new IllegalStateException("connect: " + state + " cannot become " + to);
    }
    LOG.trace("{}: {} -> {}", this, state, to);
    state = to;
  }

  @Override
  void opened() {
    if (state != OutboundState.CONNECTING) {
      // It was given up while the connection was being made.
      hangUp();
      return;
    }
    byte[] hello = hello().encode();
    transcript = identity.secret().map(secret -> new Transcript(secret, nonce, hello));
    become(OutboundState.GREETED);
    send(hello);
  }

  private Hello hello() {
    ConnectRequest request = dial.request();
    return new Hello(
        FrameType.HELLO_CONNECT,
        identity.self(),
        request.peer(),
        nonce,
        identity.jobId(),
        request.localNicIndex(),
        request.remoteNicIndex(),
        identity.capabilities(),
        request.mine());
  }

  @Override
  void received(Frame frame, byte[] raw) throws WireException {
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.said());
      hangUp();
    } else if (state == OutboundState.GREETED && frame instanceof Challenge challenge) {
      prove(challenge, raw);
    } else if (frame instanceof Hello hello && hello.isAnswer() && isAnswerDue()) {
      requireMeant(hello);
      peer = hello.endpoint();
      answered(raw);
    } else if (state == OutboundState.ANSWERED && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().acceptorProof(), proof);
      bringUp();
    } else if (state == OutboundState.READY && new Ready(nonce).equals(frame)) {
      established();
    } else {
      throw new WireException(
          Reason.GARBAGE, FrameHeader.type(raw) + " came out of turn, in state " + state);
    }
  }

  private boolean isAnswerDue() {
    return state == OutboundState.GREETED || state == OutboundState.CHALLENGED;
  }

  private void prove(Challenge challenge, byte[] raw) throws WireException {
    if (transcript.isEmpty()) {
      throw new WireException(Reason.SECRET_MISSING, "");
    }
    if (!challenge.nonce().equals(nonce)) {
      throw new WireException(Reason.GARBAGE, "CHALLENGE names another connection");
    }
    transcript.get().challenged(raw);
    become(OutboundState.CHALLENGED);
    send(transcript.get().connectorProof().encode());
  }

  private void requireMeant(Hello hello) throws WireException {
    NodeId meant = dial.request().peer();
    if (!hello.sender().equals(meant)) {
      throw new WireException(
          Reason.WRONG_NODE, "Asked for " + meant + ", met " + hello.sender() + ".");
    }
    identity.requireJob(hello);
    if (!hello.nonce().equals(nonce) || !hello.receiver().equals(identity.self())) {
      throw new WireException(Reason.GARBAGE, "HELLO answers another connection");
    }
  }

  private void answered(byte[] raw) throws WireException {
    if (transcript.isEmpty()) {
      bringUp();
    } else if (state == OutboundState.CHALLENGED) {
      transcript.get().answered(raw);
      become(OutboundState.ANSWERED);
    } else {
      // It let us in without asking: whoever it is need not know the secret.
      throw new WireException(Reason.SECRET_UNEXPECTED, "");
    }
  }

  private void bringUp() {
    become(OutboundState.BRINGING_UP);
    dial.bringUp(this, nonce, peer);
  }

  /** The owner's queue pair can receive. */
  void broughtUp() {
    if (state == OutboundState.DOOMED) {
      end(doom, doomText, null);
      return;
    }
    become(OutboundState.READY);
    send(new Ready(nonce).encode());
  }

  /** The owner's queue pair cannot be brought up. */
  void bringUpFailed(String toldPeer, Throwable cause) {
    if (state == OutboundState.DOOMED) {
      end(doom, doomText, cause);
      return;
    }
    sendLast(new Refuse(Reason.REFUSED_BY_PEER, toldPeer));
    end(Reason.REFUSED_HERE, "Namely: " + cause.getMessage(), cause);
  }

  private void established() {
    become(OutboundState.ESTABLISHED);
    dial.established(
        nonce,
        peer,
        (InetSocketAddress) channel().localAddress(),
        (InetSocketAddress) channel().remoteAddress());
    hangUp();
  }

  /** The connection could not be made. */
  void unconnected(Reason reason, String why, Throwable cause) {
    if (state.canFail()) {
      end(reason, "Namely: " + why + ".", cause);
    }
  }

  @Override
  void malformed(Reason reason, String text) {
    refuse(reason, text);
  }

  /** Ends the attempt, if it has not ended yet, and tells the peer why. */
  void refuse(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    boolean connecting = state == OutboundState.CONNECTING;
    fail(reason, text);
    if (connecting) {
      // Closes the socket; the connect then fails and finds that all is said.
      breakOff();
    } else if (reason.isTold()) {
      sendLast(new Refuse(reason, text));
    } else {
      hangUp();
    }
  }

  @Override
  void lost(String why) {
    fail(Reason.PEER_CLOSED, "In state " + state + ", namely: " + why + ".");
  }

  private void fail(Reason reason, String text) {
    if (state == OutboundState.BRINGING_UP) {
      become(OutboundState.DOOMED);
      doom = reason;
      doomText = text;
    } else if (state.canFail()) {
      end(reason, text, null);
    }
  }

  private void end(Reason reason, String text, Throwable cause) {
    boolean repeatable =
        state == OutboundState.GREETED
            || state == OutboundState.CHALLENGED
            || state == OutboundState.ANSWERED;
    become(OutboundState.FAILED);
    dial.attemptFailed(reason, text, cause, repeatable);
  }

  @Override
  public String toString() {
    return "connect to " + dial.request();
  }
}
