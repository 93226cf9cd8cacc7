// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Directory;
import io.meshtransport.jgroups.directory.DirectoryMessage;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.OverlayNetwork;
import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Verifies what a peer says of itself before it is entered into the directory: the peer is the node
 * that opened the channel, has an address of the overlay network, and does not replace another node
 * that is alive. Any link's thread may call it, and waits here.
 */
public final class Introductions {
  /** How long a node is probed when another one claims its address. */
  static final long PROBE_MS = 3_000;

  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Directory directory;
  private final OverlayNetwork network;
  private final Links links;

  public Introductions(Directory directory, OverlayNetwork network, Links links) {
    this.directory = directory;
    this.network = network;
    this.links = links;
  }

  /**
   * Verifies the introduction of a peer.
   *
   * @param openedBy the beginning of the id of the node that opened the channel
   * @throws ProtocolException if it is refused, and why
   */
  public void verify(Node sender, String openedBy) throws ProtocolException {
    if (!sender.id().startsWith(openedBy)) {
      throw new ProtocolException(
          "it claims to be node  "
              + sender
              + " with the handle of transport "
              + sender.id()
              + ", and the channel was opened by "
              + openedBy);
    }
    if (!network.isNodes(sender.overlay())) {
      throw new ProtocolException(
          "node "
              + sender
              + " has no address in the overlay network "
              + network
              + ". overlay_network must be the same on every node.");
    }
    Optional<Node> rival = directory.conflictingNode(sender);
    if (rival.isPresent() && lives(rival.get())) {
      throw new ProtocolException(
          "it claims to be node  "
              + sender
              + ", and so does another one that is alive. Give each node a node_name of its own.");
    }
  }

  /**
   * Enters what a peer says into the directory, after {@link #verify}.
   *
   * @throws ProtocolException if the directory has no space for it
   */
  public void accept(DirectoryMessage message) throws ProtocolException {
    Node sender = message.sender();
    // First: code that waits for an introduction goes on with the nodes it reported.
    for (Node other : message.others()) {
      if (network.isNodes(other.overlay())) {
        directory.learn(other, sender.id());
      }
    }
    directory.introduce(sender);
    if (!directory.isIntroduced(sender.id())) {
      directory.removeSource(sender.id(), node -> false);
      throw new ProtocolException(
          "node "
              + sender
              + " cannot be entered: this node has its address, or "
              + Directory.MAX_NODES
              + " others are linked");
    }
  }

  /**
   * Probes a node. One whose link stays open although it does not answer may be a stopped process.
   */
  private boolean lives(Node rival) {
    PeerLiveness.Probe probe;
    OutboundLink link;
    try {
      link = links.toProbe(rival);
      probe = link.probe();
    } catch (TransportException e) {
      return false;
    }
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROBE_MS);
    while (System.nanoTime() - untilNs < 0 && !Thread.currentThread().isInterrupted()) {
      PeerLiveness.Verdict verdict = link.verdict(probe);
      if (verdict == PeerLiveness.Verdict.ALIVE) {
        return true;
      }
      if (verdict == PeerLiveness.Verdict.UNREACHABLE) {
        return false;
      }
      LockSupport.parkNanos(POLL_NS);
    }
    return links.isOpen(rival.id());
  }
}
