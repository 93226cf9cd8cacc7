// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.Objects;

/**
 * A handshake or lookup that failed. {@link #reason()} is for programs; the text is for people and
 * has both ends, the state reached and what to do.
 */
public final class HandshakeException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Why a handshake failed. The codes of reasons that are sent to the peer are part of the wire
   * (docs/WIRE.md, REFUSE) and never change their meaning; code 0 is never sent, and code 3 is
   * unused.
   */
  public enum Reason {
    /**
     * A TCP connection failed, or the one for data is not up in time; the text says whether the
     * peer's host refused it, could not be reached, was silent or is busy. If it refused, the cause
     * is a {@link java.net.ConnectException}.
     */
    PEER_UNREACHABLE(0, true, "The peer could not be reached in time."),
    /** The local address or port cannot be used, or sockets have run out. */
    LOCAL_SOCKET(0, true, "This host cannot open a socket there."),
    /** The deadline passed. */
    TIMED_OUT(1, true, "The deadline passed. Is the peer overloaded, or MESH_TIMEOUT_MS too low?"),
    /** The TCP connection ended half-way. */
    PEER_CLOSED(0, true, "The peer ended the TCP connection before the handshake was complete."),
    /** Another node answered. */
    WRONG_NODE(
        2,
        false,
        "Another node answers at that address. Was the peer restarted since it gave this handle, or is the cable another one?"),
    /** The peer speaks another version. */
    VERSION(4, false, "The peer speaks another version. Run the same release on all nodes."),
    /** The acceptor has a secret, the connector has none. */
    SECRET_MISSING(
        5,
        false,
        "The accepting side demands MESH_SECRET and the connecting side has none. Set the same one on both."),
    /** The connector has a secret, the acceptor has none. */
    SECRET_UNEXPECTED(
        6,
        false,
        "The connecting side has MESH_SECRET and the accepting side has none. Set the same one on both."),
    /** Both have a secret, but not the same. */
    SECRET_MISMATCH(
        7, false, "The two sides have different values of MESH_SECRET. Set the same one on both."),
    /** This nonce was used before. */
    REPLAY(8, false, "This HELLO was seen before: a replay, or a broken random generator."),
    /** Not our protocol, damaged, or out of turn. */
    GARBAGE(9, false, "What arrived is not this protocol, is damaged, or arrived out of turn."),
    /** The C plugin's wire. */
    LEGACY(
        0,
        false,
        "The peer speaks the wire of the C plugin, which MESH_COMPAT=nccl-mesh enables;"
            + " this listener does not speak it."),
    /** The peer's acceptor, or its caller of connect, refused. */
    REFUSED_BY_PEER(10, false, "The peer could not or would not offer a queue pair."),
    /** Our acceptor, or our caller of connect, refused. */
    REFUSED_HERE(0, false, "This side could not or would not bring up its queue pair."),
    /** Too many at once. */
    BUSY(
        11,
        true,
        "Too many handshakes at once, or too many channels that the program has not accepted yet. Try again later."),
    /** The transport was closed. */
    CLOSED(12, false, "The transport was closed."),
    /** The queried node has no open listener. */
    NOT_LISTENING(13, true, "The node there has no open listener yet, so it has no handle."),
    /** The queue pair that HELLO names is not at the address that HELLO came from. */
    WRONG_ENDPOINT(
        14,
        false,
        "The GID in HELLO is not the address that HELLO came from, and a node dials only the addresses that connect to it."
            + " Is there a proxy or address translation between the two, or do they run different releases?"),
    /** The caller cancelled. */
    CANCELLED(0, false, "The caller cancelled the connect.");

    private final int code;
    private final boolean retryHelps;
    private final String description;

    Reason(int code, boolean retryHelps, String description) {
      this.code = code;
      this.retryHelps = retryHelps;
      this.description = description;
    }

    /** What happened and what to do, for people. */
    public String description() {
      return description;
    }

    /** Whether the same connect may succeed later without anyone changing anything. */
    public boolean retryHelps() {
      return retryHelps;
    }

    /** Whether the reason is sent to the peer, in a REFUSE. */
    boolean isSent() {
      return code != 0;
    }

    int code() {
      return code;
    }

    /** The reason of a code; REFUSED_BY_PEER for a code of a later version. */
    static Reason ofCode(int code) {
      for (Reason reason : values()) {
        if (code != 0 && reason.code == code) {
          return reason;
        }
      }
      return REFUSED_BY_PEER;
    }
  }

  private final Reason reason;

  /**
   * @param where the two ends and the state reached
   * @param detail details beyond the reason's description; may be empty
   */
  HandshakeException(Reason reason, String where, String detail, Throwable cause) {
    super(
        where
            + ": "
            + reason
            + ". "
            + reason.description()
            + (detail.isEmpty() ? "" : " " + detail),
        cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Why, for programs. */
  public Reason reason() {
    return reason;
  }

  /** Whether the same connect may succeed later without anyone changing anything. */
  public boolean retryHelps() {
    return reason.retryHelps();
  }
}
