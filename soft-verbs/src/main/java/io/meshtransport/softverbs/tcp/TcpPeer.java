// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.rc.DeviceTimers;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;
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
 * Another device, as reached from one of our GIDs: has the streams that still look for their peers
 * there, and the connection that carries them. Usually there is one connection; one that seems dead
 * keeps the streams that are up on it, since a cable may be mended, while new ones use another.
 * Guarded by the device's lock.
 */
final class TcpPeer {
  private static final Logger LOG = LogManager.getLogger(TcpPeer.class);

  /** How often a connection is checked on which streams look for their peers. */
  private static final long CHECK_NS = 500_000_000L;

  private final TcpNetwork network;
  private final DevicePair ends;
  private final TcpConnector connector;
  private final Set<TcpStream> connecting = new LinkedHashSet<>();

  /** All that have not ended, by their names in preambles. */
  private final Map<WireProof.Id, TcpStream> byId = new HashMap<>();

  /** The connection for new streams, or null. */
  private MuxConnection connection;

  private int streams;
  private long nextCheckNs;

  TcpPeer(TcpNetwork network, DevicePair ends) {
    this.network = network;
    this.ends = ends;
    this.connector = new TcpConnector(network, this, ends);
  }

  DevicePair ends() {
    return ends;
  }

  TcpStream add(StreamListener listener, StreamAddress address, WireKey key) {
    WireProof proof = new WireProof(key, address, ends.isDialler());
    TcpStream stream = new TcpStream(this, listener, address, proof, network.streams());
    byId.put(stream.id(), stream);
    streams++;
    connect(stream);
    return stream;
  }

  /** The stream that a preamble names, or null. */
  TcpStream stream(WireProof.Id id) {
    return byId.get(id);
  }

  /** Why a stream has no other end yet, as far as that is known, for people. */
  String text() {
    String here = ends.localGid().toAddress().getHostAddress();
    String there = ends.remoteGid().toAddress().getHostAddress();
    if (connection != null) {
      return "the one from %s to %s is up, and the peer has not answered there; its host may be busy: try again, or raise MESH_TIMEOUT_MS"
          .formatted(here, there);
    }
    String attempt =
        ends.isDialler()
            ? "%s TCP port %d, dialled from %s: %s"
                .formatted(there, ends.remotePort(), here, connector.outcome())
            : "%s TCP port %d, where %s has to dial: it has not"
                .formatted(here, ends.localPort(), there);
    return attempt + ". Firewalls of both hosts must let this port through (MESH_DATA_PORT)";
  }

  /** Looks for the stream's other end, which is not known, or not any more. */
  void connect(TcpStream stream) {
    connecting.add(stream);
    if (connection == null) {
      requestConnection();
    } else if (connection.isUp()) {
      moveTo(connection, stream);
      connection.flush();
      armHealthCheck();
    }
  }

  private void moveTo(MuxConnection onto, TcpStream stream) {
    if (stream.connection() != onto) {
      if (stream.connection() != null) {
        stream.connection().remove(stream);
      }
      stream.moveTo(onto);
      onto.add(stream);
    }
  }

  private void requestConnection() {
    if (ends.isDialler()) {
      connector.start();
    } else {
      network.acceptor().recheckWaiting();
    }
  }

  private void armHealthCheck() {
    if (ends.isDialler()) {
      nextCheckNs = network.nowNs() + CHECK_NS;
      network.armTimer(nextCheckNs);
    }
  }

  /** The stream knows its other end. */
  void onConnected(TcpStream stream) {
    if (connecting.remove(stream)) {
      connector.succeeded();
      LOG.debug("stream up: {}", stream.ends());
    }
  }

  /** The stream needs no peer any more. */
  void onFinishing(TcpStream stream) {
    connecting.remove(stream);
    connector.onRemoved(stream);
  }

  void onEnded(TcpStream stream) {
    connecting.remove(stream);
    byId.remove(stream.id(), stream);
    connector.onRemoved(stream);
    network.streams().remove(stream.name());
    streams--;
    removeIfUnused();
  }

  /**
   * Moves a stream to the connection on which the peer has sent its OPEN. The two ends may differ
   * in which connection they take for dead:
   *
   * <ol>
   *   <li>The stream has found its peer already: it stays where it is.
   *   <li>This end accepts: its stream follows the dialler's.
   *   <li>This end dials: its stream follows only an OPEN with our name, which shows that the other
   *       end has found it. Otherwise both could move at once, each to the connection that the
   *       other has just left.
   * </ol>
   *
   * @param open names the stream, and proves it
   * @return the stream, which is on that connection now, or null
   */
  TcpStream migrate(MuxConnection onto, FrameHeader open) {
    for (TcpStream stream : connecting) {
      boolean isMeant =
          stream.ends().localQueuePair() == open.remoteKey
              && stream.ends().remoteQueuePair() == open.sequence;
      if (isMeant
          && (!ends.isDialler() || open.destination == stream.name())
          && onto.isProved(stream, open)) {
        connection = connection == null ? onto : connection;
        moveTo(onto, stream);
        return stream;
      }
    }
    return null;
  }

  boolean isAnyConnecting() {
    return !connecting.isEmpty();
  }

  /** A stream to dial for, another each time, or null. */
  TcpStream nextToDialFor() {
    if (connecting.isEmpty()) {
      return null;
    }
    TcpStream first = connecting.iterator().next();
    connecting.remove(first);
    connecting.add(first);
    return first;
  }

  /** A new connection has proved to be the peer's: it carries all streams that have no peer yet. */
  void adopt(SocketChannel channel, byte[] session) {
    MuxConnection previous = connection;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      connection = network.open(this, channel, session);
    } catch (IOException e) {
      network.closeQuietly(channel);
      connectAgain();
      return;
    } catch (RuntimeException | Error e) {
      // The channel is still registered for its previous owner, which has given it away: it would
      // be selected for ever.
      network.closeQuietly(channel);
      throw e;
    }
    MuxConnection newest = connection;
    for (TcpStream stream : List.copyOf(connecting)) {
      moveTo(newest, stream);
    }
    if (previous != null) {
      previous.onReplaced();
    }
    newest.flush();
    armHealthCheck();
  }

  /** The connection may be dead: streams that are up on it find out, new ones use another. */
  void suspect(MuxConnection doubtful) {
    onConnectionLost(doubtful);
  }

  /** Why the peer is silent: the own interface, if that is not as it was. */
  PeerLoss lossOf(PeerLoss ifHostIsWell) {
    for (GidEntry row : network.gidTable()) {
      if (row.gid().equals(ends.localGid())) {
        return network.portState() == PortState.ACTIVE ? ifHostIsWell : PeerLoss.PORT_DOWN;
      }
    }
    return PeerLoss.ADDRESS_GONE;
  }

  /** That connection takes no more streams. */
  void onConnectionLost(MuxConnection lost) {
    if (connection == lost) {
      connection = null;
      connectAgain();
      removeIfUnused();
    }
  }

  private void connectAgain() {
    if (connecting.isEmpty()) {
      return;
    }
    if (ends.isDialler()) {
      connector.pause();
    } else {
      network.acceptor().recheckWaiting();
    }
  }

  private void removeIfUnused() {
    if (streams == 0 && connection == null) {
      connector.giveUp();
      network.remove(this);
    }
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link DeviceTimers#NEVER}
   */
  long onTimer(long nowNs) {
    if (!ends.isDialler() || connecting.isEmpty()) {
      return DeviceTimers.NEVER;
    }
    return connection == null ? connector.onTimer(nowNs) : checkConnection(nowNs);
  }

  /**
   * A connection whose peer is gone would keep streams waiting for as long as TCP retries. On one
   * that is alive they send OPEN once more: the peer may have taken it for dead.
   */
  private long checkConnection(long nowNs) {
    if (nextCheckNs - nowNs > 0) {
      return nextCheckNs;
    }
    nextCheckNs = nowNs + CHECK_NS;
    if (isSilent(nowNs)) {
      suspect(connection);
      return connector.onTimer(nowNs);
    }
    for (TcpStream stream : List.copyOf(connecting)) {
      stream.sendOpen();
    }
    return nextCheckNs;
  }

  private boolean isSilent(long nowNs) {
    ConnectionHealth health = connection.health();
    return !health.hasJustReceived(nowNs) && health.query(nowNs) && health.isDoubtful();
  }
}
