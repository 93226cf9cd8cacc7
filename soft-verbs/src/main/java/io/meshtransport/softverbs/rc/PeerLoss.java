// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import java.io.IOException;

/**
 * Why a peer counts as gone: the vendor error of completions, which on adapters is a number of the
 * vendor's as well.
 *
 * <pre>
 *   31      24 23                       0
 *  +----------+--------------------------+
 *  |   code   |  silence in ms, or 0     |
 *  +----------+--------------------------+
 * </pre>
 */
public enum PeerLoss {
  /** It sent CLOSE. */
  CLOSED(1, "the peer closed or gave up its queue pair"),

  /**
   * Its kernel closed the connection, and the queue pair had sent no CLOSE. So do kernels for a
   * process that has ended, and also for one that lives and had no time for its last frames.
   */
  ENDED(2, "the peer's host closed the connection: its process has ended or gave it up"),

  /**
   * A RST. So do kernels for a process that has ended, and also for one that lives and closed the
   * socket before it had read all (RFC 9293, 3.6.1).
   */
  RESET(3, "the peer's host reset the connection: its process has ended or gave it up"),

  /** Nothing came, and TCP repeated in vain. */
  SILENT(
      4, "the peer's host was silent for %s and acknowledged nothing, however often TCP repeated"),

  /** As SILENT, before there was a connection. */
  NOT_CONNECTED(
      5, "no connection for the data could be made for %s, though the handshake was through"),

  /** As SILENT, while our own address is away. */
  ADDRESS_GONE(6, "the own network interface has lost its address, and nothing came for %s"),

  /** As SILENT, while our own interface does not work. */
  PORT_DOWN(7, "the own network interface is down or sees no carrier, and nothing came for %s"),

  /** What came is no frame. */
  GARBAGE(8, "the peer sent something that is not a frame of this version"),

  /** The kernel gave up before we did (net.ipv4.tcp_retries2). */
  TIMED_OUT(9, "the own kernel gave up the connection: the peer's host answered nothing"),

  /** Our own device was closed. */
  CLOSED_HERE(10, "the own device was closed"),

  /** The socket failed in another manner, which is logged. */
  FAILED(11, "the connection failed; MESH_DEBUG=1 logs how"),

  /** The overlay that carried the connection gave it up. */
  UNREACHABLE(
      12,
      "no path over other nodes has led to the peer for too long, or it has acknowledged nothing on one"),

  /**
   * The flow that carried the connection was closed or reset, and the queue pair had sent no CLOSE.
   * The other node says so when it does not know the flow: because its process is another one, or
   * because it gave the flow up while this one was silent.
   */
  FLOW_ENDED(
      13,
      "the peer's end gave up the flow over other nodes that carried it, or does not know that flow; its process may live"),

  /** It sent CLOSE with {@link FrameHeader#FLAG_ORDERLY}. */
  ORDERLY_SHUTDOWN(
      14,
      "the peer closed its end, or a deadline passed there; its own words did not come in time, behind what was under way");

  private static final int CODE_SHIFT = 24;
  private static final int MAX_MS = (1 << CODE_SHIFT) - 1;
  private static final PeerLoss[] ALL = values();

  private final int code;
  private final String text;

  PeerLoss(int code, String text) {
    this.code = code;
    this.text = text;
  }

  int vendorError() {
    return code << CODE_SHIFT;
  }

  public int vendorError(long silentNs) {
    return vendorError() | (int) Math.min(MAX_MS, silentNs / 1_000_000);
  }

  /** The loss that a CLOSE reports. */
  public static PeerLoss of(FrameHeader close) {
    return close.has(FrameHeader.FLAG_ORDERLY) ? ORDERLY_SHUTDOWN : CLOSED;
  }

  /** The loss that a socket's exception reports. */
  public static PeerLoss of(IOException failure) {
    String words = String.valueOf(failure.getMessage());
    if (words.contains("reset") || words.contains("Broken pipe")) {
      return RESET;
    }
    return words.contains("timed out") ? TIMED_OUT : FAILED;
  }

  /** The text of a vendor error; empty if it is none of these. */
  static String describe(int vendorError) {
    for (PeerLoss loss : ALL) {
      if (loss.code == vendorError >>> CODE_SHIFT) {
        return loss.text.formatted((vendorError & MAX_MS) + " ms");
      }
    }
    return "";
  }
}
