package io.meshtransport.transport;

import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;

/** What fails otherwise, or for other causes, on the C plugin's wire. Holds nothing. */
final class LegacyFailures {
  private LegacyFailures() {}

  static TransportException tooLongHere(Route route, long roomBytes) {
    return new TransportException(
        Reason.MESSAGE_TOO_LONG,
        route
            + ": a message was longer than the receive of "
            + roomBytes
            + " bytes whose turn it was, or the peer's path MTU is another, which this wire does not tell. That ends the"
            + " channel: close it and connect again, with longer receives or the same MTU at both ends.");
  }

  static TransportException tooLongThere(Route route, long messageBytes) {
    return new TransportException(
        Reason.MESSAGE_TOO_LONG,
        route
            + ": the peer refused a message of "
            + messageBytes
            + " bytes: its receive is shorter, or its path MTU is another, which this wire does not tell. That ends the"
            + " channel: close it and connect again, with longer receives or the same MTU at both ends.");
  }

  static TransportException overdue(Route route, String what) {
    return new TransportException(
        Reason.TIMED_OUT,
        route
            + ": "
            + what
            + " was under way when its deadline passed: the peer has posted no receive, or sent no message. Nothing"
            + " can be taken back on the C plugin's wire, so the channel ends with it: close it, and connect again.");
  }

  /** The same failure, with the cause that only this wire has. */
  static TransportException hint(TransportException why) {
    return why.reason() == Reason.PEER_GONE
        ? new TransportException(
            why.reason(),
            why.getMessage()
                + " On the C plugin's wire a peer that closes its end looks the same, and so does one with another"
                + " path MTU, which that wire does not tell: set the same on both netdevs, or MESH_MTU.",
            why.getCause())
        : why;
  }
}
