// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * Why a TCP connection could not be made, by the kernel's error and its time: the host refused,
 * cannot be reached or is silent, or this host is at fault. A value.
 *
 * @param cause an exception of the JDK; a ConnectException if, and only if, the host refused
 */
record ConnectFailure(Reason reason, String text, Throwable cause) {
  /**
   * A host refuses at once. For a silent host the kernel reports the same exception, after 3 s at
   * the earliest (tcp(7), tcp_syn_retries is 1 or more).
   */
  private static final long PROMPT_NS = TimeUnit.SECONDS.toNanos(2);

  /**
   * @param afterNs nanoseconds until the dial failed
   */
  static ConnectFailure of(Throwable failure, DialTarget target, long afterNs) {
    Throwable cause = PlainCause.of(failure);
    int port = target.remote().getPort();
    String address = target.remote().getAddress().getHostAddress();
    if (cause instanceof BindException) {
      return new ConnectFailure(Reason.LOCAL_SOCKET, ownAddress(cause, target), cause);
    }
    if (cause instanceof NoRouteToHostException) {
      return unreachable(
          "No host answers at "
              + address
              + ": it is off, the cable is cut or is another one, or no interface there has that address.",
          cause);
    }
    if (cause instanceof ConnectException && afterNs < PROMPT_NS) {
      return unreachable(
          "The host at "
              + address
              + " is up and refuses: no program listens at port "
              + port
              + " there. The peer has ended, has not begun, or has another port; or a firewall rejects.",
          cause);
    }
    if (cause instanceof ConnectException) {
      SocketTimeoutException silence = new SocketTimeoutException(cause.getMessage());
      silence.initCause(cause);
      return unreachable(
          "No answer from "
              + address
              + ", not even a refusal: the host is off, the cable is cut or is another one, or a firewall"
              + " drops the packets.",
          silence);
    }
    if (cause instanceof SocketException) {
      return unreachable(
          "This host has no route to "
              + address
              + " ("
              + cause.getMessage()
              + "): its own address on that network is gone, or the interface is down. `ip route get "
              + address
              + "` shows what the kernel would do.",
          cause);
    }
    Reason reason = cause instanceof IOException ? Reason.PEER_UNREACHABLE : Reason.LOCAL_SOCKET;
    return new ConnectFailure(reason, "Namely: " + cause.getMessage() + ".", cause);
  }

  private static ConnectFailure unreachable(String text, Throwable cause) {
    return new ConnectFailure(Reason.PEER_UNREACHABLE, text, cause);
  }

  private static String ownAddress(Throwable cause, DialTarget target) {
    String address = target.local().getHostAddress();
    return isHere(target)
        ? "Namely, at " + address + ": " + cause.getMessage() + "."
        : address
            + " is no longer an address of this host ("
            + cause.getMessage()
            + "). `ip addr` shows its addresses.";
  }

  private static boolean isHere(DialTarget target) {
    try {
      return target.local().isLoopbackAddress()
          || NetworkInterface.getByInetAddress(target.local()) != null;
    } catch (SocketException e) {
      return false; // No interface has an address.
    }
  }
}
