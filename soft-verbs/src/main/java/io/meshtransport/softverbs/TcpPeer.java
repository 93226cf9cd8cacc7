package io.meshtransport.softverbs;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Another device, as reached from one of our GIDs: knows the wires that seek their ends there, and
 * the trunk they go by. Usually there is one trunk; a connection that seems dead keeps the wires
 * that are up on it, since a cable may be mended, while new ones go by another. Guarded by the
 * device's lock.
 */
final class TcpPeer {
  private static final Logger LOG = LogManager.getLogger(TcpPeer.class);

  /** How often a trunk that wires seek their peer on is looked at. */
  private static final long LOOK_NS = 500_000_000L;

  private final TcpNetwork network;
  private final TrunkEnds ends;
  private final TcpDial dial;
  private final Set<TcpWire> seeking = new LinkedHashSet<>();
  private final KernelAcks.Row row = new KernelAcks.Row();

  /** Where new wires go, or null. */
  private Trunk trunk;

  private int wires;
  private long nextLookNs;

  TcpPeer(TcpNetwork network, TrunkEnds ends) {
    this.network = network;
    this.ends = ends;
    this.dial = new TcpDial(network, this, ends);
  }

  TrunkEnds ends() {
    return ends;
  }

  // --- wires

  TcpWire add(WireUser user, WireEnds wireEnds) {
    TcpWire wire = new TcpWire(this, user, wireEnds, network.wires());
    wires++;
    seek(wire);
    return wire;
  }

  /** The wire's other end is not known, or not any more. */
  void seek(TcpWire wire) {
    seeking.add(wire);
    if (trunk != null) {
      place(wire);
      watchTrunk();
    } else {
      dialIfNeeded();
    }
  }

  private void place(TcpWire wire) {
    if (wire.trunk() != trunk) {
      if (wire.trunk() != null) {
        wire.trunk().remove(wire);
      }
      wire.place(trunk);
      trunk.add(wire);
    }
  }

  private void dialIfNeeded() {
    if (ends.isDialler() && trunk == null && !seeking.isEmpty()) {
      dial.start();
    }
  }

  private void watchTrunk() {
    if (ends.isDialler()) {
      nextLookNs = network.nowNs() + LOOK_NS;
      network.armTimer(nextLookNs);
    }
  }

  /** The wire knows its other end. */
  void met(TcpWire wire) {
    if (seeking.remove(wire)) {
      dial.succeeded();
      LOG.debug("wire up: {}", wire.ends());
    }
  }

  /** The wire seeks no more. */
  void ending(TcpWire wire) {
    seeking.remove(wire);
  }

  void ended(TcpWire wire) {
    seeking.remove(wire);
    network.wires().remove(wire.name());
    wires--;
    forgetIfUnused();
  }

  boolean isAnySeeking() {
    return !seeking.isEmpty();
  }

  /** Whether a wire of ours seeks exactly that one. */
  boolean isSeeking(WireEnds wanted) {
    for (TcpWire wire : seeking) {
      if (wire.ends().equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  /** A wire to dial for, another each time, or null. */
  WireEnds nextToDialFor() {
    if (seeking.isEmpty()) {
      return null;
    }
    TcpWire first = seeking.iterator().next();
    seeking.remove(first);
    seeking.add(first);
    return first.ends();
  }

  // --- trunks

  /** There is a connection: all that seek go by it from now on. */
  void begin(SocketChannel channel) {
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      trunk = network.open(this, channel);
    } catch (IOException e) {
      network.closeQuietly(channel);
      dialAgain();
      return;
    }
    for (TcpWire wire : List.copyOf(seeking)) {
      if (trunk != null && wire.isSeeking()) {
        place(wire);
      }
    }
    watchTrunk();
  }

  /** The trunk may be dead: those that are up on it find out, others go another way. */
  void suspect(Trunk doubtful) {
    lost(doubtful);
  }

  /** No more wires may go by that trunk. */
  void lost(Trunk former) {
    if (trunk == former) {
      trunk = null;
      dialAgain();
      forgetIfUnused();
    }
  }

  private void dialAgain() {
    if (ends.isDialler() && !seeking.isEmpty()) {
      dial.pause();
    }
  }

  private void forgetIfUnused() {
    if (wires == 0 && trunk == null) {
      dial.giveUp();
      network.forget(this);
    }
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link SoftDevice#NEVER}
   */
  long onTimer(long nowNs) {
    if (!ends.isDialler() || seeking.isEmpty()) {
      return SoftDevice.NEVER;
    }
    return trunk == null ? dial.onTimer(nowNs) : lookAfterTrunk(nowNs);
  }

  /** A connection whose peer is gone would keep wires seeking for as long as TCP is patient. */
  private long lookAfterTrunk(long nowNs) {
    if (nextLookNs - nowNs > 0) {
      return nextLookNs;
    }
    nextLookNs = nowNs + LOOK_NS;
    if (trunk.ask(row) && row.unacknowledgedBytes > 0 && row.retransmits > 1) {
      suspect(trunk);
      return dial.onTimer(nowNs);
    }
    return nextLookNs;
  }
}
