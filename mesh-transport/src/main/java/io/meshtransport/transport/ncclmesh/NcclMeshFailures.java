// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.CompletionStatus;

/** What fails otherwise, or for other causes, on the C plugin's wire. Holds nothing. */
public final class NcclMeshFailures {
  private NcclMeshFailures() {}

  /**
   * How a receive ends that a message does not fit into: LOC_LEN_ERR on adapters (InfiniBand 1.4,
   * section 10.10.3), LOC_QP_OP_ERR on Soft-RoCE, REM_INV_REQ_ERR there if a packet is longer than
   * the path MTU.
   */
  static boolean isTooLongHere(CompletionStatus status) {
    return status == CompletionStatus.LOC_LEN_ERR
        || status == CompletionStatus.LOC_QP_OP_ERR
        || status == CompletionStatus.REM_INV_REQ_ERR;
  }

  /** The same at the sending end: REM_INV_REQ_ERR, or REM_OP_ERR where the peer is Soft-RoCE. */
  public static boolean isTooLongThere(CompletionStatus status) {
    return status == CompletionStatus.REM_INV_REQ_ERR || status == CompletionStatus.REM_OP_ERR;
  }

  static TransportException tooLongHere(Route route, long receiveBytes, CompletionStatus status) {
    return new TransportException(
        Reason.MESSAGE_TOO_LONG,
        route
            + ": a message was longer than the receive of "
            + receiveBytes
            + " bytes whose turn it was ("
            + status
            + "), or the peer's path MTU is another, which this wire does not tell. That ends the"
            + " channel: close it and connect again, with longer receives or the same MTU at both ends.");
  }

  static TransportException tooLongThere(Route route, long messageBytes, CompletionStatus status) {
    return new TransportException(
        Reason.MESSAGE_TOO_LONG,
        route
            + ": the peer refused a message of "
            + messageBytes
            + " bytes ("
            + status
            + "): its receive is shorter, or its path MTU is another, which this wire does not tell. That ends the"
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
