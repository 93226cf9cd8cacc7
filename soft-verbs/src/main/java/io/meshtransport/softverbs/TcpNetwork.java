// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
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
 * TcpStream} on it for each queue pair. Of two devices the smaller dials and the other accepts.
 * Guarded by the device's lock.
 */
final class TcpNetwork implements Network {
  private static final Logger LOG = LogManager.getLogger(TcpNetwork.class);

  /** How long ended trunks may take to pass on their last words when the device closes. */
  private static final long LAST_WORDS_NS = 200_000_000L;

  /** Of a caller that spins: reading one socket costs less than asking about all of them. */
  private static final int POLLS_PER_DRIVE = 64;

  /** While the kernel has no room for what a trunk has to say: that it has again, epoll tells. */
  private static final int POLLS_PER_DRIVE_IF_BLOCKED = 16;

  private static final int BUFFERS_READY = 4;

  private final SecureRandom random = new SecureRandom();
  private final DevicePort port;
  private final TcpAckState kernelAcks;
  private final Listeners listeners;
  private final TcpAcceptor acceptor;
  private final StreamTable wires = new StreamTable();
  private final Map<DevicePair, TcpPeer> peers = new HashMap<>();

  /** The same in a list, which timers can go through without garbage. */
  private final List<TcpPeer> peerList = new ArrayList<>();

  /** All that are not closed. */
  private final List<MuxConnection> trunks = new ArrayList<>();

  private final DeferredFlushes held = new DeferredFlushes();
  private final Pool<FrameBatch> batches = new Pool<>(FrameBatch::new, BUFFERS_READY);
  private final Pool<ByteBuffer> stagings =
      new Pool<>(() -> ByteBuffer.allocateDirect(FrameReader.STAGING_BYTES), BUFFERS_READY);
  private SoftDevice device;
  private Driver driver;
  private Condition lastWordsSaid;
  private int blockedTrunks;

  TcpNetwork(DevicePort port, WirePort wirePort, TcpAckState kernelAcks) throws IOException {
    this.port = port;
    this.kernelAcks = kernelAcks;
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
  void abandon() {
    listeners.close();
    kernelAcks.close();
    if (driver != null) {
      driver.close();
    }
  }

  @Override
  public void attach(SoftDevice newDevice) {
    device = newDevice;
    lastWordsSaid = device.lock().newCondition();
    try {
      driver = new Driver(device, held);
      listeners.start(driver, acceptor);
    } catch (IOException e) {
      throw new UncheckedIOException("no selector for device " + device.name(), e);
    }
    driver.start();
  }

  Driver driver() {
    return driver;
  }

  SoftDevice device() {
    return device;
  }

  /** The question how the connection stands. */
  TcpAckState.Question questionAbout(SocketChannel channel) throws IOException {
    return kernelAcks.about(
        (InetSocketAddress) channel.getLocalAddress(),
        (InetSocketAddress) channel.getRemoteAddress());
  }

  TcpAcceptor acceptor() {
    return acceptor;
  }

  /** 16 bytes that nobody can foresee. */
  byte[] nonce() {
    byte[] nonce = new byte[WireProof.NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }

  void armTimer(long atNs) {
    device.armTimer(atNs);
  }

  // --- wires and trunks

  @Override
  public FrameStream connect(StreamListener user, StreamAddress ends, WireKey key) {
    TcpPeer peer = peers.get(DevicePair.of(ends));
    if (peer == null) {
      peer = new TcpPeer(this, DevicePair.of(ends));
      peers.put(peer.ends(), peer);
      peerList.add(peer);
    }
    return peer.add(user, ends, key);
  }

  /** The peer of these ends, or null if no wire goes there. */
  TcpPeer peer(DevicePair ends) {
    return peers.get(ends);
  }

  /** Nobody has to do with that peer any more. */
  void forget(TcpPeer peer) {
    peers.remove(peer.ends());
    peerList.remove(peer);
  }

  /** The wire an OPEN means that seeks its peer elsewhere, and now goes by that trunk; or null. */
  TcpStream follow(MuxConnection trunk, FrameHeader open) {
    TcpPeer peer = peers.get(trunk.ends());
    return peer == null ? null : peer.follow(trunk, open);
  }

  @Override
  public void leave(SoftMemoryRegion region) {
    for (int i = trunks.size() - 1; i >= 0; i--) {
      trunks.get(i).leave(region);
    }
  }

  StreamTable wires() {
    return wires;
  }

  /** Makes a trunk of a connection. */
  MuxConnection open(TcpPeer peer, SocketChannel channel, byte[] session) throws IOException {
    MuxConnection trunk = new MuxConnection(this, peer, channel, session);
    trunks.add(trunk);
    return trunk;
  }

  /** The kernel takes nothing more of a trunk just now, or takes something again. */
  void blocked(boolean isBlocked) {
    blockedTrunks += isBlocked ? 1 : -1;
  }

  void ended(MuxConnection trunk) {
    trunks.remove(trunk);
    lastWordsSaid.signalAll();
  }

  /** Closes what is of no use any more; that it fails to close harms nobody. */
  void closeQuietly(Channel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("closing {} failed", channel, e);
      }
    }
  }

  // --- time

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
    driver.wakeSleeper();
  }

  /** Called by threads that move messages: no streams or iterators, which would be garbage. */
  @Override
  public long onTimer(long nowNs) {
    long nextNs = Math.min(acceptor.onTimer(nowNs), listeners.onTimer(nowNs));
    // Backwards, since one that ends leaves its list.
    for (int i = peerList.size() - 1; i >= 0; i--) {
      nextNs = Math.min(nextNs, peerList.get(i).onTimer(nowNs));
    }
    for (int i = trunks.size() - 1; i >= 0; i--) {
      nextNs = Math.min(nextNs, trunks.get(i).onTimer(nowNs));
    }
    // What queue pairs had to say to their timers, which were first.
    held.flush();
    return nextNs;
  }

  // --- the rest of a network

  @Override
  public List<GidEntry> gidTable() {
    List<GidEntry> rows = port.gidTable();
    // Whoever makes a queue pair of an address has read it here: by then it is listened on.
    if (!listeners.areUpToDate(rows, System.nanoTime())) {
      // Read once more: what another thread has read since must not be undone.
      device.locked(() -> listeners.follow(port.gidTable()));
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
  public boolean drive() {
    return driver.drive();
  }

  @Override
  public int pollsPerDrive() {
    return blockedTrunks > 0 ? POLLS_PER_DRIVE_IF_BLOCKED : POLLS_PER_DRIVE;
  }

  @Override
  public void polled() {
    driver.lease();
  }

  @Override
  public boolean isLongUndriven() {
    return driver.isLongUndriven();
  }

  @Override
  public void flushHeld() {
    held.flush();
  }

  Pool<FrameBatch> batches() {
    return batches;
  }

  /** Buffers for what comes in, empty. */
  Pool<ByteBuffer> stagings() {
    return stagings;
  }

  /** The frames of a trunk wait for others, if somebody polls who will come back for them. */
  void flushSoon(MuxConnection trunk) {
    if (driver.isPolled()) {
      held.add(trunk);
      driver.guard();
    } else {
      trunk.flush();
    }
  }

  /** The frames of a trunk wait for those of others whose timers are due as well. */
  void flushAfterTimers(MuxConnection trunk) {
    held.add(trunk);
  }

  @Override
  public boolean await(SoftCompletionChannel channel, long timeoutNs) {
    return driver.await(channel, timeoutNs);
  }

  @Override
  public void wakeWaiters() {
    driver.wakeSleeper();
  }

  @Override
  public void close() {
    awaitLastWords();
    device.locked(this::closeAll);
    driver.close();
  }

  /** The device's thread passes them on meanwhile. */
  private void awaitLastWords() {
    long leftNs = LAST_WORDS_NS;
    device.lock().lock();
    try {
      List.copyOf(trunks).forEach(MuxConnection::finish);
      while (!trunks.isEmpty() && leftNs > 0) {
        leftNs = lastWordsSaid.awaitNanos(leftNs);
      }
    } catch (InterruptedException e) {
      // Whoever interrupts a close is in more of a hurry than the last words are.
      Thread.currentThread().interrupt();
    } finally {
      device.lock().unlock();
    }
  }

  private void closeAll() {
    List.copyOf(trunks).forEach(trunk -> trunk.lost(PeerLoss.CLOSED_HERE, "the device is closed"));
    listeners.close();
    acceptor.close();
    kernelAcks.close();
  }
}
