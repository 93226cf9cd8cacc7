// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A request for a node's handle, for {@link Handshaker#lookup}. An immutable value.
 *
 * @param remote address and handshake port of the node; resolved, an IPv6 link-local one with its
 *     scope
 * @param deadlineNs the deadline, on the clock of {@link System#nanoTime()}
 */
public record LookupRequest(InetSocketAddress remote, long deadlineNs) implements DialTarget {
  static final long MAX_DROP_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final InetAddress ANY = new InetSocketAddress(0).getAddress();

  public LookupRequest {
    if (remote.isUnresolved() || remote.getPort() == 0) {
      throw new IllegalArgumentException(remote + " is not a resolved address with a port");
    }
  }

  /** Any address: the kernel routes, as long as there is no handle to choose a NIC by. */
  @Override
  public InetAddress local() {
    return ANY;
  }

  @Override
  public String purpose() {
    return "lookup at " + this;
  }

  /** True: the peer's rate limit recovers soon. */
  @Override
  public boolean retriesBusyPeerUntilDeadline() {
    return true;
  }

  /**
   * Half a second: a node that has too much to do drops connections at once, and other software
   * does so after a time of its own, at each attempt.
   */
  @Override
  public long maxDropNs() {
    return MAX_DROP_NS;
  }

  /** The name in logs and errors. */
  @Override
  public String toString() {
    return remote.getAddress().getHostAddress() + " port " + remote.getPort();
  }
}
