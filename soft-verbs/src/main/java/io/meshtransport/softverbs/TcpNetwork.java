package io.meshtransport.softverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.random.RandomGenerator;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * TCP below a soft device: one connection per queue pair. Of two ends the smaller dials and the
 * other accepts; each says in a {@link Preamble} which queue pairs it means, and a connection that
 * nobody here expects is closed, counted, and affects nobody else. Guarded by the device's lock.
 */
final class TcpNetwork implements Network {
  private static final Logger LOG = LogManager.getLogger(TcpNetwork.class);

  /** How long ended wires may take to pass on their last words when the device closes. */
  private static final long LAST_WORDS_NS = 200_000_000L;

  /** Of a caller that spins: reading one socket costs less than asking about all of them. */
  private static final int POLLS_PER_DRIVE = 16;

  private static final int BUFFERS_READY = 4;

  private final RandomGenerator random = new SecureRandom();
  private final DevicePort port;
  private final KernelAcks kernelAcks;
  private final TcpAcceptor acceptor;
  private final List<TcpDial> dials = new ArrayList<>();
  private final HeldWires held = new HeldWires();
  private final Pool<FrameBatch> batches = new Pool<>(FrameBatch::new, BUFFERS_READY);
  private final Pool<ByteBuffer> stagings =
      new Pool<>(() -> ByteBuffer.allocateDirect(FrameReader.STAGING_BYTES), BUFFERS_READY);
  private final List<TcpWire> ending = new ArrayList<>();
  private SoftDevice device;
  private Driver driver;
  private Condition lastWordsSaid;

  TcpNetwork(DevicePort port, KernelAcks kernelAcks) throws IOException {
    this.port = port;
    this.kernelAcks = kernelAcks;
    this.acceptor = new TcpAcceptor(this);
  }

  @Override
  public void attach(SoftDevice newDevice) {
    device = newDevice;
    lastWordsSaid = device.lock().newCondition();
    try {
      driver = new Driver(device, held);
      acceptor.start();
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
  KernelAcks.Question questionAbout(SocketChannel channel) throws IOException {
    return kernelAcks.about(
        (InetSocketAddress) channel.getLocalAddress(),
        (InetSocketAddress) channel.getRemoteAddress());
  }

  TcpAcceptor acceptor() {
    return acceptor;
  }

  void armTimer(long atNs) {
    device.armTimer(atNs);
  }

  // --- making wires

  @Override
  public Wire connect(RcEngine engine, WireEnds ends) {
    TcpWire wire = new TcpWire(this, engine, ends);
    if (ends.isDialler()) {
      TcpDial dial = new TcpDial(this, wire, ends);
      dials.add(dial);
      dial.attempt(nowNs());
      armTimer(dial.dueNs());
    } else {
      acceptor.await(wire);
    }
    return wire;
  }

  /** A peer has answered. */
  void dialled(TcpDial dial, SocketChannel channel) {
    dials.remove(dial);
    begin(dial.wire(), channel);
  }

  /** Both ends know that the connection is for this wire. */
  void begin(TcpWire wire, SocketChannel channel) {
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      wire.begin(channel);
      LOG.debug("wire up: {}", wire.ends());
    } catch (IOException e) {
      closeQuietly(channel);
      wire.lost(e.getMessage());
    }
  }

  // --- ending wires

  /** A wire ends before it was up; a peer who takes it for up is told these last words. */
  void forget(TcpWire wire, ByteBuffer lastWords) {
    acceptor.forget(wire, lastWords);
    dials.removeIf(
        dial -> {
          boolean isIts = dial.wire() == wire;
          if (isIts) {
            dial.giveUp();
          }
          return isIts;
        });
  }

  /** A wire still has last words; it must be watched until it {@link #ended}. */
  void ending(TcpWire wire) {
    ending.add(wire);
    armTimer(wire.endDeadlineNs());
  }

  void ended(TcpWire wire) {
    ending.remove(wire);
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
    long nextNs = acceptor.onTimer(nowNs);
    for (int i = 0; i < dials.size(); i++) {
      TcpDial dial = dials.get(i);
      if (dial.dueNs() - nowNs <= 0) {
        dial.attempt(nowNs);
      }
      nextNs = Math.min(nextNs, dial.dueNs());
    }
    // Backwards, since a wire that is closed leaves the list.
    for (int i = ending.size() - 1; i >= 0; i--) {
      TcpWire wire = ending.get(i);
      if (wire.endDeadlineNs() - nowNs <= 0) {
        wire.close();
      } else {
        nextNs = Math.min(nextNs, wire.endDeadlineNs());
      }
    }
    return nextNs;
  }

  // --- the rest of a network

  @Override
  public List<GidEntry> gidTable() {
    return port.gidTable();
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
    return acceptor.port();
  }

  @Override
  public boolean drive() {
    return driver.drive();
  }

  @Override
  public int pollsPerDrive() {
    return POLLS_PER_DRIVE;
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

  /** The frames of a wire wait for others, if somebody polls who will come back for them. */
  void flushSoon(TcpWire wire) {
    if (driver.isPolled()) {
      held.add(wire);
      driver.guard();
    } else {
      wire.flush();
    }
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
      while (!ending.isEmpty() && leftNs > 0) {
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
    List.copyOf(ending).forEach(TcpWire::close);
    acceptor.close();
    kernelAcks.close();
  }
}
