// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.host.DevicePort;
import io.meshtransport.softverbs.host.TcpAckState;
import io.meshtransport.softverbs.rc.FrameStream;
import io.meshtransport.softverbs.rc.Network;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.ProgressEngine;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.SoftMemoryRegion;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.verbs.WireKey;
import io.meshtransport.verbs.WirePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.random.RandomGenerator;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * TCP below a soft device: one connection per peer device, a {@link MuxConnection}, with a {@link
 * TcpStream} on it for each queue pair. Of two devices the one with the smaller address dials and
 * the other accepts. Guarded by the device's lock.
 */
public final class TcpNetwork implements Network {
  private static final Logger LOG = LogManager.getLogger(TcpNetwork.class);

  /** How long connections may take to send their last frames when the device closes. */
  private static final long DRAIN_NS = 200_000_000L;

  /** Of a caller that spins: to read one socket costs less than to select on all of them. */
  private static final int POLLS_PER_DRIVE = 64;

  /** While a connection waits for the kernel to take more, which only epoll reports. */
  private static final int POLLS_PER_DRIVE_IF_BLOCKED = 16;

  private static final int BUFFERS_READY = 4;

  private final SecureRandom random = new SecureRandom();
  private final SharedDriver shared;
  private final DevicePort port;
  private final TcpAckState ackState;
  private final Listeners listeners;
  private final TcpAcceptor acceptor;
  private final StreamTable streams = new StreamTable();
  private final Map<DevicePair, TcpPeer> peers = new HashMap<>();

  /** The same in a list, which timers can go through without garbage. */
  private final List<TcpPeer> peerList = new ArrayList<>();

  /** All that are not closed. */
  private final List<MuxConnection> connections = new ArrayList<>();

  private final DeferredFlushes deferred = new DeferredFlushes();
  private final Pool<FrameBatch> batches = new Pool<>(FrameBatch::new, BUFFERS_READY);
  private final Pool<ByteBuffer> stagings =
      new Pool<>(() -> ByteBuffer.allocateDirect(FrameReader.STAGING_BYTES), BUFFERS_READY);
  private SoftDevice device;
  private DrivenDevice driven;
  private Condition connectionEnded;
  private int blockedConnections;

  /**
   * @param shared of all devices that threads may wait for together
   */
  public TcpNetwork(SharedDriver shared, DevicePort port, WirePort wirePort, TcpAckState ackState)
      throws IOException {
    this.shared = shared;
    this.port = port;
    this.ackState = ackState;
    this.listeners = new Listeners(wirePort);
    this.acceptor = new TcpAcceptor(this);
    try {
      listeners.listenOn(port.gidTable());
    } catch (IOException | RuntimeException | Error e) {
      abandon();
      throw e;
    }
  }

  /** Its device could not be made: nothing stays open. */
  public void abandon() {
    listeners.close();
    ackState.close();
    if (driven != null) {
      driven.remove();
    }
  }

  @Override
  public void attach(SoftDevice newDevice) {
    device = newDevice;
    connectionEnded = device.lock().newCondition();
    try {
      driven = DrivenDevice.add(shared, device, deferred);
      listeners.start(driven, acceptor);
    } catch (IOException e) {
      throw new UncheckedIOException("no selector for device " + device.name(), e);
    }
  }

  /** This device where its bytes are moved. */
  DrivenDevice driven() {
    return driven;
  }

  /** What moves its bytes, and those of others. */
  Driver driver() {
    return driven.driver();
  }

  @Override
  public ProgressEngine progress() {
    return driven.driver();
  }

  SoftDevice device() {
    return device;
  }

  /** Reads what the kernel knows of the connection, as often as one likes. */
  TcpAckState.Query ackQuery(SocketChannel channel) throws IOException {
    return ackState.queryFor(
        (InetSocketAddress) channel.getLocalAddress(),
        (InetSocketAddress) channel.getRemoteAddress());
  }

  /** Where connections between the two devices are dialled from: any port of the own address. */
  InetSocketAddress localEnd(DevicePair ends) {
    return new InetSocketAddress(ends.localGid().toAddress(scope(ends)), 0);
  }

  /**
   * Where they are dialled to. Both ends are on one cable, so a link-local address of the peer has
   * the scope of the own one.
   */
  InetSocketAddress remoteEnd(DevicePair ends) {
    return new InetSocketAddress(ends.remoteGid().toAddress(scope(ends)), ends.remotePort());
  }

  /** The interface of an own address that is link-local; 0 if the GID table has no such row. */
  private int scope(DevicePair ends) {
    if (!ends.localGid().isLinkLocal()) {
      return 0;
    }
    for (GidEntry row : port.gidTable()) {
      if (row.gid().equals(ends.localGid())) {
        return row.ifindex();
      }
    }
    return 0;
  }

  TcpAcceptor acceptor() {
    return acceptor;
  }

  /** 16 random bytes that cannot be predicted. */
  byte[] nonce() {
    byte[] nonce = new byte[WireProof.NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }

  void armTimer(long atNs) {
    device.timers().arm(atNs);
  }

  @Override
  public FrameStream connect(StreamListener listener, StreamAddress ends, WireKey key) {
    TcpPeer peer = peers.get(DevicePair.of(ends));
    if (peer == null) {
      peer = new TcpPeer(this, DevicePair.of(ends));
      peers.put(peer.ends(), peer);
      peerList.add(peer);
    }
    return peer.add(listener, ends, key);
  }

  /** The peer of these ends, or null if no stream leads there. */
  TcpPeer peer(DevicePair ends) {
    return peers.get(ends);
  }

  /** The peer has neither streams nor a connection any more. */
  void remove(TcpPeer peer) {
    peers.remove(peer.ends());
    peerList.remove(peer);
  }

  /**
   * The stream that an OPEN names, moved to that connection; or null. See {@link TcpPeer#migrate}.
   */
  TcpStream migrate(MuxConnection connection, FrameHeader open) {
    TcpPeer peer = peers.get(connection.ends());
    return peer == null ? null : peer.migrate(connection, open);
  }

  @Override
  public void detach(SoftMemoryRegion region) {
    for (int i = connections.size() - 1; i >= 0; i--) {
      connections.get(i).detach(region);
    }
  }

  StreamTable streams() {
    return streams;
  }

  /** Makes a mux connection of a connected channel. */
  MuxConnection open(TcpPeer peer, SocketChannel channel, byte[] session) throws IOException {
    MuxConnection connection = new MuxConnection(this, peer, channel, session);
    connections.add(connection);
    return connection;
  }

  /** The kernel takes nothing more of one connection just now, or takes something again. */
  void blocked(boolean isBlocked) {
    blockedConnections += isBlocked ? 1 : -1;
  }

  void onEnded(MuxConnection connection) {
    connections.remove(connection);
    connectionEnded.signalAll();
  }

  /** Closes what is of no use any more; a failure to close does no harm. */
  void closeQuietly(Channel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("closing {} failed", channel, e);
      }
    }
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public void timerArmed(long atNs) {
    driver().wakeSleeper();
  }

  /** Called by threads that move messages: no streams or iterators, which would be garbage. */
  @Override
  public long onTimer(long nowNs) {
    long nextNs = Math.min(acceptor.onTimer(nowNs), listeners.onTimer(nowNs));
    // Backwards, since one that ends leaves its list.
    for (int i = peerList.size() - 1; i >= 0; i--) {
      nextNs = Math.min(nextNs, peerList.get(i).onTimer(nowNs));
    }
    for (int i = connections.size() - 1; i >= 0; i--) {
      nextNs = Math.min(nextNs, connections.get(i).onTimer(nowNs));
    }
    // What the timers of queue pairs, which ran first, have deferred.
    deferred.flushDue(nowNs);
    return nextNs;
  }

  @Override
  public List<GidEntry> gidTable() {
    List<GidEntry> rows = port.gidTable();
    // A queue pair is made with an address that was read here: by then it is listened on.
    if (!listeners.isUpToDate(rows, System.nanoTime())) {
      // Read once more: a newer state that another thread has read must not be undone.
      device.locked(() -> listeners.update(port.gidTable()));
      listeners.awaitReleased();
    }
    return rows;
  }

  @Override
  public PortState portState() {
    return port.state();
  }

  @Override
  public int activeMtuBytes() {
    return port.activeMtuBytes();
  }

  @Override
  public int wirePort() {
    return listeners.port();
  }

  @Override
  public int pollsPerDrive() {
    return blockedConnections > 0 ? POLLS_PER_DRIVE_IF_BLOCKED : POLLS_PER_DRIVE;
  }

  @Override
  public void polled() {
    driven.polled();
  }

  @Override
  public boolean isLongUndriven() {
    return driver().isLongUndriven();
  }

  @Override
  public boolean hasDeferred() {
    return deferred.hasAny();
  }

  @Override
  public void flushDeferred() {
    deferred.flushDue(driver().leasedNs());
  }

  Pool<FrameBatch> batches() {
    return batches;
  }

  /** Buffers for what is read, empty. */
  Pool<ByteBuffer> stagings() {
    return stagings;
  }

  /** Defers the frames of a connection if a caller polls, which will poll again and flush them. */
  void flushSoon(MuxConnection connection) {
    if (driven.renewLease()) {
      deferred.add(connection);
      driver().requestCheck();
    } else {
      connection.flush();
    }
  }

  /** A connection sends what it has: nothing of it waits any more. */
  void flushing(MuxConnection connection) {
    deferred.remove(connection);
  }

  /** Defers the frames of a connection until all timers that are due have run. */
  void flushAfterTimers(MuxConnection connection) {
    deferred.add(connection);
  }

  @Override
  public void close() {
    awaitDrained();
    device.locked(this::closeAll);
    driven.remove();
  }

  /** The device's thread sends them meanwhile. */
  private void awaitDrained() {
    long leftNs = DRAIN_NS;
    device.lock().lock();
    try {
      List.copyOf(connections).forEach(MuxConnection::finish);
      while (!connections.isEmpty() && leftNs > 0) {
        leftNs = connectionEnded.awaitNanos(leftNs);
      }
    } catch (InterruptedException e) {
      // An interrupted close does not wait for the last frames.
      Thread.currentThread().interrupt();
    } finally {
      device.lock().unlock();
    }
  }

  private void closeAll() {
    List.copyOf(connections)
        .forEach(connection -> connection.close(PeerLoss.CLOSED_HERE, "the device is closed"));
    listeners.close();
    acceptor.close();
    ackState.close();
  }
}
