// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.TransportException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;

/** Failures of the mesh as exceptions of java.net, which JGroups expects. */
final class Refusals {
  private Refusals() {}

  /** The peer cannot be reached, or not any more. */
  static SocketException of(TransportException why) {
    SocketException refusal =
        switch (why.reason()) {
          case NO_ROUTE -> new NoRouteToHostException(why.summary());
          case PEER_UNREACHABLE, REFUSED, WRONG_PEER, TIMED_OUT ->
              new ConnectException(why.summary());
          default -> new SocketException(why.summary());
        };
    refusal.initCause(why);
    return refusal;
  }

  /** No thread can be started for the peer's link. */
  static SocketException withoutThread(String node, Error why) {
    return new SocketException(
        "no thread for the link to node "
            + node
            + ": "
            + why
            + ". Raise the limit of threads (ulimit -u, pids.max) or give the process more memory.");
  }

  /** The peer has consumed nothing for so long. */
  static SocketException stalled(String node, long timeoutNs) {
    return new SocketException(
        "node "
            + node
            + " has consumed nothing for "
            + TimeUnit.NANOSECONDS.toMillis(timeoutNs)
            + " ms (send_timeout); messages to it are dropped until it does");
  }

  /** One more message to a peer that still consumes nothing. */
  static SocketException stillStalled(String node) {
    return new SocketException("node " + node + " still consumes nothing; dropped");
  }
}
