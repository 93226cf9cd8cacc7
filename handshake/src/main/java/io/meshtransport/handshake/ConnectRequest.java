// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;

/**
 * One candidate path to a peer, to be tried by {@link Handshaker#connect}. An immutable value.
 *
 * @param local address of the NIC to dial from; an IPv6 link-local one with its scope, as {@code
 *     NetworkInterface} returns it
 * @param remote address of the peer on the same cable and its handshake port; resolved. A
 *     link-local one without a scope gets that of {@code local}, since it is on the same cable
 * @param peer the node that must answer
 * @param peerName its name, for texts; empty if it is not known
 * @param localNicIndex our index of the NIC to dial from, 0 to 65535
 * @param remoteNicIndex the peer's index of the NIC that has the remote address, 0 to 65535, from
 *     its handle
 * @param mine our queue pair, in INIT with receives posted
 * @param deadlineNs the deadline, on the clock of {@link System#nanoTime()}
 */
public record ConnectRequest(
    InetAddress local,
    InetSocketAddress remote,
    NodeId peer,
    String peerName,
    int localNicIndex,
    int remoteNicIndex,
    QueuePairAddress mine,
    long deadlineNs)
    implements DialTarget {
  public ConnectRequest {
    Objects.requireNonNull(local, "local");
    Objects.requireNonNull(peer, "peer");
    Objects.requireNonNull(peerName, "peerName");
    Objects.requireNonNull(mine, "mine");
    if (remote.isUnresolved() || remote.getPort() == 0) {
      throw new IllegalArgumentException(remote + " is not a resolved address with a port");
    }
    remote = new InetSocketAddress(scoped(remote.getAddress(), local), remote.getPort());
    requireNicIndex("local", localNicIndex);
    requireNicIndex("remote", remoteNicIndex);
  }

  private static InetAddress scoped(InetAddress remote, InetAddress local) {
    boolean lacksScope =
        remote instanceof Inet6Address there
            && there.isLinkLocalAddress()
            && there.getScopeId() == 0;
    if (!lacksScope || !(local instanceof Inet6Address here)) {
      return remote;
    }
    try {
      return Inet6Address.getByAddress(null, remote.getAddress(), here.getScopeId());
    } catch (UnknownHostException e) {
      throw new AssertionError("16 bytes are always an address", e);
    }
  }

  private static void requireNicIndex(String whose, int index) {
    if (index < 0 || index > 0xFFFF) {
      throw new IllegalArgumentException(whose + " NIC index " + index + " is outside 0..65535");
    }
  }

  @Override
  public boolean canReuseConnection() {
    return true;
  }

  /** As in {@code b (3f2dae8f)}, or the digits alone for a node whose name is not known. */
  String peerText() {
    return peerName.isEmpty() ? peer.shortId() : peerName + " (" + peer.shortId() + ")";
  }

  /** How logs and errors name this path. */
  @Override
  public String toString() {
    return "node "
        + peerText()
        + " at "
        + remote.getAddress().getHostAddress()
        + " port "
        + remote.getPort()
        + " from "
        + local.getHostAddress();
  }
}
