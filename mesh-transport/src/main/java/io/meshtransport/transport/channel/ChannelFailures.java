// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.memory.RemoteKey;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.VerbsException;
import org.apache.logging.log4j.Level;

/** Turns what went wrong on a channel into reasons and sentences. Holds nothing. */
public final class ChannelFailures {
  /** With which the advice begins, where a channel is at its end. */
  private static final String ADVICE = " Close th";

  private ChannelFailures() {}

  /**
   * A work request failed: first what that means, then the device's word for it.
   *
   * @param vendorError the device's own number, 0 if none
   * @param evidence what the device says about the peer's end, or empty
   */
  static TransportException completion(
      Route route, String what, CompletionStatus status, int vendorError, String evidence) {
    if (!evidence.isEmpty()) {
      return new TransportException(
          Reason.PEER_GONE,
          route
              + ": the connection to the peer is lost: "
              + evidence
              + " ("
              + what
              + " ended with "
              + status
              + "). Close this channel; once the peer is back, connect again.");
    }
    return new TransportException(
        reason(status),
        route
            + ": "
            + happened(reason(status))
            + " ("
            + what
            + " ended with "
            + status
            + ": "
            + meaning(status)
            + (vendorError == 0 ? "" : "; vendor error " + vendorError)
            + "). Close this channel; once the peer is back, connect again.");
  }

  /** Only the first failure is reported, so there is no other error to look at. */
  private static String meaning(CompletionStatus status) {
    return status == CompletionStatus.WR_FLUSH_ERR
        ? "the queue pair has ended, and its device does not say why"
        : status.meaning();
  }

  private static String happened(Reason reason) {
    return switch (reason) {
      case PEER_GONE ->
          "the connection to the peer is lost: its program has ended or given up this channel, or its host or the cable is down";
      case PROTOCOL -> "the two ends do not keep to the same protocol";
      default -> "a device could not go on";
    };
  }

  private static Reason reason(CompletionStatus status) {
    return switch (status) {
      // Flushed with no error before it: the device itself noticed that the other end is gone.
      case RETRY_EXC_ERR, WR_FLUSH_ERR -> Reason.PEER_GONE;
      case REM_ACCESS_ERR, REM_INV_REQ_ERR, RNR_RETRY_EXC_ERR, LOC_LEN_ERR, BAD_RESP_ERR ->
          Reason.PROTOCOL;
      default -> Reason.DEVICE;
    };
  }

  public static TransportException post(Route route, String what, int errno) {
    return new TransportException(
        Reason.DEVICE,
        route
            + ": the device refused to post "
            + what
            + ", errno "
            + errno
            + ". Close this channel.");
  }

  static TransportException poll(Route route, int errno) {
    return new TransportException(
        Reason.DEVICE,
        route + ": the completion queue is broken, errno " + errno + ". Close this channel.");
  }

  public static TransportException notDestroyed(Route route, int rail) {
    return new TransportException(
        Reason.DEVICE,
        route
            + ": the device does not take rail "
            + rail
            + " away. It may still touch memory, so the channel ends with it: close it, and connect again.");
  }

  /** On a rail, which is given up, while the channel goes on. */
  public static TransportException stuck(Route route, long stuckNs, long bytes) {
    return new TransportException(
        Reason.PEER_GONE,
        "%s: %d bytes were stuck on it for %d ms while others had theirs across."
            .formatted(route, bytes, stuckNs / 1_000_000));
  }

  /**
   * Of the line about a rail that is lost: no warning while its channel is being closed, or has
   * failed, which ends all of its rails, one after the other.
   */
  public static Level lostRailLevel(boolean isChannelReady, boolean isStandby) {
    Level lost = isStandby ? Level.INFO : Level.WARN;
    return isChannelReady ? lost : Level.DEBUG;
  }

  /** What happened, without what to do about it: a channel of several rails goes on. */
  public static String aboutRail(Route route, TransportException why) {
    String text = why.getMessage();
    int from = text.startsWith(route + ": ") ? route.toString().length() + 2 : 0;
    int to = text.indexOf(ADVICE);
    return text.substring(from, to < 0 ? text.length() : to);
  }

  static TransportException withoutCarrier(Route route, String netdev, long withoutNs) {
    return new TransportException(
        Reason.PEER_GONE,
        "%s: the peer is out of reach: %s has had no carrier for %d ms, and nothing was answered. Close this channel;"
                .formatted(route, netdev, withoutNs / 1_000_000)
            + " once the cable is back, connect again.");
  }

  /** On a rail, while the channel goes on over others. */
  static TransportException cableCut(Route route, String evidence) {
    return new TransportException(
        Reason.PEER_GONE, "%s: the cable is cut: %s.".formatted(route, evidence));
  }

  static TransportException waiting(Route route, VerbsException why) {
    return new TransportException(
        Reason.DEVICE,
        route
            + ": its completions cannot be waited for: "
            + why.getMessage()
            + " Close this channel.",
        why);
  }

  static TransportException deviceLost(Route route) {
    return new TransportException(
        Reason.DEVICE,
        route
            + ": the device has failed and answers no more. Close the transport and open it again; if that does not"
            + " help, `dmesg` says what the driver met.");
  }

  static TransportException nicGone(Route route, String nic, String why) {
    return new TransportException(
        Reason.DEVICE,
        route
            + ": "
            + nic
            + " is gone from this host: "
            + why
            + ". Close this channel and connect again: over another cable, or over this one once it is back, for the"
            + " transport uses what comes.");
  }

  /** By a verdict of others than the channel: one by silence may be wrong, as its evidence says. */
  public static TransportException nodeGone(String where, String evidence) {
    return new TransportException(
        Reason.PEER_GONE,
        where
            + ": the node counts as gone: "
            + evidence
            + ". Close what leads to it; once it is back, connect again.");
  }

  /**
   * The same failure, with what the device reported beside it.
   *
   * @param events a sentence, or empty
   */
  static TransportException withEvents(TransportException why, String events) {
    return events.isEmpty()
        ? why
        : new TransportException(why.reason(), why.getMessage() + " " + events, why.getCause());
  }

  public static TransportException protocol(Route route, String what) {
    return new TransportException(
        Reason.PROTOCOL,
        route
            + ": the peer announced "
            + what
            + ", which no correct peer does. Close this channel.");
  }

  /** The request fails before anything is sent: the channel is none the worse for it. */
  public static TransportException keyOfAnotherNode(Route route, RemoteKey memory, PeerNic peer) {
    boolean isOfPeer = memory.node().equals(peer.node());
    return new TransportException(
        Reason.REMOTE_ACCESS,
        route
            + ": the key of the remote memory is "
            + (isOfPeer
                ? "older than the peer's NIC that this channel leads to"
                : "of node "
                    + memory.node().shortId()
                    + ", but this channel leads to node "
                    + new Peer(route.peerName(), peer.node().toString())
                    + ": a peer that has restarted is another node, whose memory has new keys")
            + ". Ask the peer for a new key; the channel goes on.");
  }

  /** A put or get cannot go on over another NIC; the connection does. */
  public static TransportException notRegistered(Route route) {
    return new TransportException(
        Reason.NO_RESOURCES,
        route
            + ": the memory of a put or get is not registered with the NIC that is left of those that"
            + " the connection leads over. Begin it again; the log says why it is not registered.");
  }

  /** The rail under a put or get was lost; the connection goes on. */
  public static TransportException outcomeUnknown(Route route, boolean isGet, long lengthBytes) {
    return new TransportException(
        Reason.OUTCOME_UNKNOWN,
        route
            + ": "
            + (isGet ? "a get" : "a put")
            + " of "
            + lengthBytes
            + " bytes was under way when its cable was lost, and how far it came is unknown. "
            + (isGet
                ? "Its memory may have some of the bytes. "
                : "The peer's memory may have all, some or none of the bytes. ")
            + "Begin it anew if it may be carried out twice; the connection goes on over another"
            + " path.");
  }

  /**
   * @param here what this end has that could be the cause: a sentence, or empty
   */
  public static TransportException peerClosed(Route route, Goodbye goodbye, String here) {
    return new TransportException(
        Reason.PEER_CLOSED,
        route
            + (goodbye.why() == Goodbye.Why.CLOSED
                ? ": the peer closed its end. "
                : ": the peer closed this channel: " + goodbye.text() + ". ")
            + (here.isEmpty() ? "" : here + " ")
            + "Close this one; connect again if the peer listens.");
  }

  /**
   * The peer's device reports an orderly shutdown; its GOODBYE, which says why, did not come in
   * time.
   *
   * @param evidence what the device says, both possibilities
   */
  static TransportException peerShutDown(
      Route route, String what, CompletionStatus status, String evidence) {
    return new TransportException(
        Reason.PEER_CLOSED,
        "%s: %s (%s ended with %s). Close this one; connect again if the peer listens."
            .formatted(route, evidence, what, status));
  }

  /** Of the end as a whole, and of requests that are begun after it. */
  static TransportException closed(Route route) {
    return new TransportException(Reason.CLOSED, route + ": this end was closed.");
  }

  /** Of a request. */
  static TransportException closedMeanwhile(Route route) {
    return new TransportException(
        Reason.CLOSED, route + ": this end was closed while the request was outstanding.");
  }

  public static TransportException tooLong(
      Route route, int tag, long messageBytes, long receiveBytes) {
    return new TransportException(
        Reason.MESSAGE_TOO_LONG,
        route
            + ": the message with tag "
            + tag
            + " has "
            + messageBytes
            + " bytes, but the receive posted for it holds "
            + receiveBytes
            + ". Post a longer receive; the channel goes on.");
  }

  /**
   * The peer's device refused the key of a put or get.
   *
   * @param what "put" or "get"
   */
  public static TransportException remoteAccess(Route route, String what) {
    return new TransportException(
        Reason.REMOTE_ACCESS,
        route
            + ": the peer's device refused the memory of a "
            + what
            + " ("
            + CompletionStatus.REM_ACCESS_ERR
            + "): the peer has closed it since its key was made, or never granted that. The queue pairs of both"
            + " ends are broken with it: close this channel, connect again, and ask the peer for a new key.");
  }

  /** The own device refused a put or get of the peer. */
  static TransportException accessRefusedHere(Route route) {
    return new TransportException(
        Reason.REMOTE_ACCESS,
        route
            + ": this node's device refused a put or get of the peer: its memory was closed here after the peer had"
            + " the key, or never granted that. The queue pairs of both ends are broken with it: close this channel,"
            + " connect again, and give the peer a new key; agree with it before you close such memory.");
  }

  /** A receive was taken back because its owner wanted that. */
  public static TransportException receiveWithdrawn(Route route) {
    return new TransportException(
        Reason.WITHDRAWN, route + ": this receive was withdrawn before a message came for it.");
  }

  /** What a handshake's end means to a caller. */
  public static Reason reasonOf(HandshakeException.Reason reason) {
    return switch (reason) {
      case PEER_UNREACHABLE, PEER_CLOSED, NOT_LISTENING -> Reason.PEER_UNREACHABLE;
      case LOCAL_SOCKET, BUSY -> Reason.NO_RESOURCES;
      case TIMED_OUT -> Reason.TIMED_OUT;
      case WRONG_NODE -> Reason.WRONG_PEER;
      case CLOSED, CANCELLED -> Reason.CLOSED;
      case REFUSED_HERE -> Reason.NO_RESOURCES;
      case VERSION,
          SECRET_MISSING,
          SECRET_UNEXPECTED,
          SECRET_MISMATCH,
          REPLAY,
          GARBAGE,
          LEGACY,
          WRONG_ENDPOINT,
          REFUSED_BY_PEER ->
          Reason.REFUSED;
    };
  }
}
