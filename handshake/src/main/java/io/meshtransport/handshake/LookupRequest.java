// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * One question "who are you?", to be asked by {@link Handshaker#lookup}. An immutable value.
 *
 * @param remote address and handshake port of whoever is asked; resolved, an IPv6 link-local one
 *     with its scope
 * @param deadlineNs when to give up, on the clock of {@link System#nanoTime()}
 */
public record LookupRequest(InetSocketAddress remote, long deadlineNs) implements DialTarget {
  private static final InetAddress ANY = new InetSocketAddress(0).getAddress();

  public LookupRequest {
    if (remote.isUnresolved() || remote.getPort() == 0) {
      throw new IllegalArgumentException(remote + " is not a resolved address with a port");
    }
  }

  /** Any: which NIC leads there is the kernel's to know, as long as there is no handle. */
  @Override
  public InetAddress local() {
    return ANY;
  }

  @Override
  public String purpose() {
    return "ask " + this;
  }

  /** Its bound on questions is met soon again, so that nobody need count. */
  @Override
  public boolean retriesBusyPeerUntilDeadline() {
    return true;
  }

  /** How logs and errors name it. */
  @Override
  public String toString() {
    return remote.getAddress().getHostAddress() + " port " + remote.getPort();
  }
}
