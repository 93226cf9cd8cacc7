// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.WireKey;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
  private final DevicePair ends;
  private final TcpConnector dial;
  private final Set<TcpStream> seeking = new LinkedHashSet<>();

  /** All that have not ended, by what they are called in preambles. */
  private final Map<WireProof.Id, TcpStream> byId = new HashMap<>();

  /** Where new wires go, or null. */
  private MuxConnection trunk;

  private int wires;
  private long nextLookNs;

  TcpPeer(TcpNetwork network, DevicePair ends) {
    this.network = network;
    this.ends = ends;
    this.dial = new TcpConnector(network, this, ends);
  }

  DevicePair ends() {
    return ends;
  }

  // --- wires

  TcpStream add(StreamListener user, StreamAddress wireEnds, WireKey key) {
    WireProof proof = new WireProof(key, wireEnds, ends.isDialler());
    TcpStream wire = new TcpStream(this, user, wireEnds, proof, network.wires());
    byId.put(wire.id(), wire);
    wires++;
    seek(wire);
    return wire;
  }

  /** The wire that a preamble names, or null. */
  TcpStream wire(WireProof.Id id) {
    return byId.get(id);
  }

  /** How far wires that seek have come, for people. */
  String text() {
    String here = ends.localGid().toAddress().getHostAddress();
    String there = ends.remoteGid().toAddress().getHostAddress();
    if (trunk != null) {
      return "a data connection from " + here + " to " + there + " stands";
    }
    return ends.isDialler()
        ? there
            + " TCP port "
            + ends.remotePort()
            + ", dialled from "
            + here
            + ": "
            + dial.outcome()
        : here + " TCP port " + ends.localPort() + ", where " + there + " has to dial: it has not";
  }

  /** The wire's other end is not known, or not any more. */
  void seek(TcpStream wire) {
    seeking.add(wire);
    if (trunk == null) {
      getTrunk();
    } else if (trunk.isUp()) {
      place(wire, trunk);
      trunk.flush();
      watchTrunk();
    }
  }

  private void place(TcpStream wire, MuxConnection onto) {
    if (wire.trunk() != onto) {
      if (wire.trunk() != null) {
        wire.trunk().remove(wire);
      }
      wire.place(onto);
      onto.add(wire);
    }
  }

  private void getTrunk() {
    if (ends.isDialler()) {
      dial.start();
    } else {
      network.acceptor().expectMore();
    }
  }

  private void watchTrunk() {
    if (ends.isDialler()) {
      nextLookNs = network.nowNs() + LOOK_NS;
      network.armTimer(nextLookNs);
    }
  }

  /** The wire knows its other end. */
  void met(TcpStream wire) {
    if (seeking.remove(wire)) {
      dial.succeeded();
      LOG.debug("wire up: {}", wire.ends());
    }
  }

  /** The wire seeks no more. */
  void ending(TcpStream wire) {
    seeking.remove(wire);
    dial.left(wire);
  }

  void ended(TcpStream wire) {
    seeking.remove(wire);
    byId.remove(wire.id(), wire);
    dial.left(wire);
    network.wires().remove(wire.name());
    wires--;
    forgetIfUnused();
  }

  /**
   * The peer seeks one of ours on a trunk that it is not on. The two ends may differ in which trunk
   * they take for dead: then the one that accepts follows the one that dials, and that one only
   * where the other has met it already, for else they could follow each other past.
   *
   * @param open says and proves which
   * @return the wire, which is on that trunk now, or null
   */
  TcpStream follow(MuxConnection onto, FrameHeader open) {
    for (TcpStream wire : seeking) {
      boolean isMeant =
          wire.ends().localQueuePair() == open.remoteKey
              && wire.ends().remoteQueuePair() == open.sequence;
      if (isMeant
          && (!ends.isDialler() || open.destination == wire.name())
          && onto.isProved(wire, open)) {
        trunk = trunk == null ? onto : trunk;
        place(wire, onto);
        return wire;
      }
    }
    return null;
  }

  boolean isAnySeeking() {
    return !seeking.isEmpty();
  }

  /** A wire to dial for, another each time, or null. */
  TcpStream nextToDialFor() {
    if (seeking.isEmpty()) {
      return null;
    }
    TcpStream first = seeking.iterator().next();
    seeking.remove(first);
    seeking.add(first);
    return first;
  }

  // --- trunks

  /** There is a connection that proved to be the peer's: all that seek go by it from now on. */
  void begin(SocketChannel channel, byte[] session) {
    MuxConnection former = trunk;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      trunk = network.open(this, channel, session);
    } catch (IOException e) {
      network.closeQuietly(channel);
      dialAgain();
      return;
    } catch (RuntimeException | Error e) {
      // The channel is still registered with who made it, who has given it away: it would be
      // selected for ever.
      network.closeQuietly(channel);
      throw e;
    }
    MuxConnection newest = trunk;
    for (TcpStream wire : List.copyOf(seeking)) {
      place(wire, newest);
    }
    if (former != null) {
      former.replaced();
    }
    newest.flush();
    watchTrunk();
  }

  /** The trunk may be dead: those that are up on it find out, others go another way. */
  void suspect(MuxConnection doubtful) {
    lost(doubtful);
  }

  /** What silence comes from: the own interface, if that is not as it was. */
  PeerLoss lossOf(PeerLoss ifHostIsWell) {
    for (GidEntry row : network.gidTable()) {
      if (row.gid().equals(ends.localGid())) {
        return network.portState() == PortState.ACTIVE ? ifHostIsWell : PeerLoss.PORT_DOWN;
      }
    }
    return PeerLoss.ADDRESS_GONE;
  }

  /** No more wires may go by that trunk. */
  void lost(MuxConnection former) {
    if (trunk == former) {
      trunk = null;
      dialAgain();
      forgetIfUnused();
    }
  }

  private void dialAgain() {
    if (seeking.isEmpty()) {
      return;
    }
    if (ends.isDialler()) {
      dial.pause();
    } else {
      network.acceptor().expectMore();
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

  /**
   * A connection whose peer is gone would keep wires seeking for as long as TCP is patient. On one
   * that is alive they say once more that they are there: the peer may have taken it for dead.
   */
  private long lookAfterTrunk(long nowNs) {
    if (nextLookNs - nowNs > 0) {
      return nextLookNs;
    }
    nextLookNs = nowNs + LOOK_NS;
    if (isSilent(nowNs)) {
      suspect(trunk);
      return dial.onTimer(nowNs);
    }
    for (TcpStream wire : List.copyOf(seeking)) {
      wire.sayOpen();
    }
    return nextLookNs;
  }

  private boolean isSilent(long nowNs) {
    ConnectionHealth standing = trunk.standing();
    return !standing.isHeardJustNow(nowNs) && standing.ask(nowNs) && standing.isDoubtful();
  }
}
