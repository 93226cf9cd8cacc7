// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.Durations;

/**
 * What a request fails with whose deadline has passed. Each text says for how long nothing has come
 * from the peer, where that is known. Immutable; made when the deadline passes.
 */
public final class DeadlineFailures {
  private final Route route;
  private final long timeoutNs;
  private final long silenceNs;
  private final long probeNs;

  /**
   * @param timeoutNs of the request
   * @param silenceNs as {@link Channel#peerSilenceNs}
   * @param probeNs after how long a silence a living peer is probed, and answers
   */
  DeadlineFailures(Route route, long timeoutNs, long silenceNs, long probeNs) {
    this.route = route;
    this.timeoutNs = timeoutNs;
    this.silenceNs = silenceNs;
    this.probeNs = probeNs;
  }

  /** A sentence with a space before it, or empty. */
  String silence() {
    if (silenceNs == Channel.SILENCE_UNKNOWN) {
      return "";
    }
    String peer = new Peer(route.peerName(), route.peer()).toString();
    String text = Durations.text(silenceNs);
    // Half as long again, for the probe and its answer.
    if (Math.min(silenceNs, timeoutNs) > probeNs + probeNs / 2) {
      return " Nothing has come from %s for %s: its program may be stopped, or its host or the cable down."
          .formatted(peer, text);
    }
    return silenceNs < timeoutNs
        ? " Something came from %s %s ago.".formatted(peer, text)
        : " Nothing has come from %s for %s, as from a living peer that has had nothing to send."
            .formatted(peer, text);
  }

  private TransportException timedOut(String what, String consequence) {
    return new TransportException(
        Reason.TIMED_OUT, route + ": " + what + "." + silence() + " " + consequence);
  }

  /**
   * A message that waits for a receive.
   *
   * @param posted what the peer has posted instead, for people
   */
  public TransportException withdrawn(int tag, String posted) {
    return timedOut(
        "the peer posted no receive with tag %d within %s; %s"
            .formatted(tag, Durations.text(timeoutNs), posted),
        "The message was withdrawn; the channel goes on.");
  }

  /** A put or get that others are before. */
  public TransportException notBegun() {
    return timedOut(
        "a put or get had not begun when its deadline passed, for others were under way",
        "It was withdrawn; the channel goes on.");
  }

  /** What the device is at. */
  public TransportException overdue(String what) {
    return timedOut(
        "%s was still under way after %s, its deadline".formatted(what, Durations.text(timeoutNs)),
        "The device may still use its memory, so the channel ends with it: close it, and connect"
            + " again.");
  }

  /**
   * A receive that is taken back; the connection goes on.
   *
   * @param arrived how many messages of it had come, where it takes several
   */
  public TransportException receiveTimedOut(int tag, long bytes, int arrived) {
    String none = arrived == 0 ? "no message" : "no more than " + arrived + " of the messages";
    return timedOut(
        none + came(tag, bytes), "The receive was taken back, and the connection goes on.");
  }

  /** A receive that the peer may still write to. */
  public TransportException receiveOverdue(int tag, long bytes) {
    return timedOut(
        "no message" + came(tag, bytes),
        "The peer may still write there, so the channel ends with it, and the peer gets the reason:"
            + " close it, and connect again.");
  }

  private String came(int tag, long bytes) {
    return " with tag %d came within %s into the receive of up to %d bytes"
        .formatted(tag, Durations.text(timeoutNs), bytes);
  }
}
