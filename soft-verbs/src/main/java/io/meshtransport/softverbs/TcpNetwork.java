package io.meshtransport.softverbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.QueuePairState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * TCP below a soft device: one listener, one connection per queue pair. Of two ends the smaller
 * dials and the other accepts; each says in a {@link Preamble} which queue pairs it means, and a
 * connection that nobody here expects is closed, counted, and affects nobody else. Guarded by the
 * device's lock.
 */
final class TcpNetwork implements Network {
  private static final Logger LOG = LogManager.getLogger(TcpNetwork.class);

  /** How long an accepted connection may take to say what it wants, and to be expected. */
  private static final long GREETING_NS = 5_000_000_000L;

  /** Connections that have not found their queue pair; beyond it the oldest goes. */
  private static final int MAX_GREETINGS = 256;

  /** How long ended wires may take to pass on their last words when the device closes. */
  private static final long LAST_WORDS_NS = 200_000_000L;

  private final RandomGenerator random = new SecureRandom();
  private final DevicePort port;
  private final KernelAcks kernelAcks;
  private final ServerSocketChannel listener;
  private final Map<Integer, TcpWire> awaitingAccept = new HashMap<>();
  private final List<TcpDial> dials = new ArrayList<>();
  private final List<Greeting> greetings = new ArrayList<>();
  private final List<TcpWire> ending = new ArrayList<>();
  private SoftDevice device;
  private Driver driver;
  private Condition lastWordsSaid;
  private long refusedConnections;

  TcpNetwork(DevicePort port, KernelAcks kernelAcks) throws IOException {
    this.port = port;
    this.kernelAcks = kernelAcks;
    this.listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(0));
  }

  @Override
  public void attach(SoftDevice newDevice) {
    device = newDevice;
    lastWordsSaid = device.lock().newCondition();
    try {
      driver = new Driver(device);
      driver.register(listener, SelectionKey.OP_ACCEPT, key -> accept());
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

  KernelAcks kernelAcks() {
    return kernelAcks;
  }

  /** Connections that were closed because nobody here expected them. */
  long refusedConnections() {
    return refusedConnections;
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
      awaitingAccept.put(ends.localQueuePair(), wire);
      List.copyOf(greetings).stream().filter(Greeting::isComplete).forEach(this::greeted);
    }
    return wire;
  }

  /** A peer has answered. */
  void dialled(TcpDial dial, SocketChannel channel) {
    dials.remove(dial);
    begin(dial.wire(), channel, null);
  }

  private void accept() {
    try {
      SocketChannel channel = listener.accept();
      if (channel != null) {
        Greeting greeting = new Greeting(channel, greetingHost, nowNs() + GREETING_NS);
        greetings.add(greeting);
        driver.register(channel, SelectionKey.OP_READ, greeting);
        armTimer(greeting.deadlineNs());
        dropOldestGreeting();
      }
    } catch (IOException e) {
      // Typically EMFILE: the connection stays queued in the kernel until a descriptor is free.
      refusedConnections++;
    }
  }

  private final Greeting.Host greetingHost =
      new Greeting.Host() {
        @Override
        public void greeted(Greeting greeting) {
          TcpNetwork.this.greeted(greeting);
        }

        @Override
        public void failed(Greeting greeting, String why) {
          refuse(greeting, why);
        }
      };

  private void greeted(Greeting greeting) {
    WireEnds ends = greeting.ends();
    TcpWire wire = awaitingAccept.get(ends.localQueuePair());
    if (wire != null && wire.ends().equals(ends) && isFromPeer(greeting.channel(), ends)) {
      greetings.remove(greeting);
      awaitingAccept.remove(ends.localQueuePair());
      begin(wire, greeting.channel(), Preamble.encode(ends));
    } else if (!isInInit(ends.localQueuePair())) {
      refuse(greeting, "no queue pair here expects it");
    }
  }

  /** Its owner has the peer's endpoint already, and will soon know ours. */
  private boolean isInInit(int queuePair) {
    return device
        .engine(queuePair)
        .map(engine -> engine.state() == QueuePairState.INIT)
        .orElse(false);
  }

  private static boolean isFromPeer(SocketChannel channel, WireEnds ends) {
    try {
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
      return Gid.of(local.getAddress()).equals(ends.localGid())
          && Gid.of(remote.getAddress()).equals(ends.remoteGid());
    } catch (IOException e) {
      return false;
    }
  }

  private void begin(TcpWire wire, SocketChannel channel, ByteBuffer answer) {
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (answer != null) {
        channel.write(answer);
      }
      wire.begin(channel);
      LOG.debug("wire up: {}", wire.ends());
    } catch (IOException e) {
      closeQuietly(channel);
      wire.lost(e.getMessage());
    }
  }

  private void refuse(Greeting greeting, String why) {
    refusedConnections++;
    greetings.remove(greeting);
    closeQuietly(greeting.channel());
    LOG.debug("connection refused: {}", why);
  }

  private void dropOldestGreeting() {
    if (greetings.size() > MAX_GREETINGS) {
      refuse(greetings.get(0), "too many connections wait for their queue pair");
    }
  }

  // --- ending wires

  /** A wire ends before it was up. */
  void forget(TcpWire wire) {
    awaitingAccept.remove(wire.ends().localQueuePair(), wire);
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

  @Override
  public long onTimer(long nowNs) {
    due(dials, dial -> dial.dueNs() - nowNs <= 0).forEach(dial -> dial.attempt(nowNs));
    due(greetings, greeting -> greeting.deadlineNs() - nowNs <= 0)
        .forEach(greeting -> refuse(greeting, "it was silent for too long"));
    due(ending, wire -> wire.endDeadlineNs() - nowNs <= 0).forEach(TcpWire::close);
    long nextNs = SoftDevice.NEVER;
    for (TcpDial dial : dials) {
      nextNs = Math.min(nextNs, dial.dueNs());
    }
    for (Greeting greeting : greetings) {
      nextNs = Math.min(nextNs, greeting.deadlineNs());
    }
    for (TcpWire wire : ending) {
      nextNs = Math.min(nextNs, wire.endDeadlineNs());
    }
    return nextNs;
  }

  private static <T> List<T> due(List<T> all, Predicate<T> isDue) {
    return all.stream().filter(isDue).toList();
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
    try {
      return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public boolean drive() {
    return driver.drive();
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
    List.copyOf(greetings).forEach(greeting -> closeQuietly(greeting.channel()));
    closeQuietly(listener);
  }
}
