// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * One candidate path to a C plugin's listener, to be tried by {@link Handshaker#connectLegacy}. An
 * immutable value.
 *
 * @param local address of the NIC to dial from
 * @param remote address of the listener on the same cable and its handshake port; resolved
 * @param mine our queue pair, in INIT
 * @param deadlineNs the deadline, on the clock of {@link System#nanoTime()}
 */
public record LegacyConnectRequest(
    InetAddress local, InetSocketAddress remote, LegacyEndpoint mine, long deadlineNs)
    implements DialTarget {
  public LegacyConnectRequest {
    Objects.requireNonNull(local, "local");
    Objects.requireNonNull(mine, "mine");
    if (remote.isUnresolved() || remote.getPort() == 0) {
      throw new IllegalArgumentException(remote + " is not a resolved address with a port");
    }
  }

  /** How logs and errors name this path. */
  @Override
  public String toString() {
    return "C plugin at "
        + remote.getAddress().getHostAddress()
        + " port "
        + remote.getPort()
        + " from "
        + local.getHostAddress();
  }
}
