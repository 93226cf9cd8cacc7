// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.WirePort;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The sockets on which a device takes connections: one for each of its addresses, following them as
 * they come and go, all with the same port. Guarded by the device's lock, except {@link
 * #areUpToDate}, {@link #port} and {@link #awaitReleased}.
 */
final class Listeners {
  private static final Logger LOG = LogManager.getLogger(Listeners.class);

  /** Connections the kernel holds for us between two looks at them; it may cap this lower. */
  private static final int BACKLOG = 4096;

  /** Ports that the kernel chose at one address may be taken at the next. */
  private static final int KERNELS_CHOICES = 16;

  /** An address that could not be listened on is tried again after this. */
  private static final long AGAIN_NS = 1_000_000_000L;

  /** Without a descriptor for it a connection stays in the kernel for so long, and then again. */
  private static final long PAUSE_NS = 100_000_000L;

  private final WirePort wish;
  private final Map<Gid, ServerSocketChannel> listening = new HashMap<>();
  private final Queue<ServerSocketChannel> released = new ConcurrentLinkedQueue<>();
  private final Set<Gid> warned = new HashSet<>();
  private volatile List<GidEntry> followed = List.of();
  private volatile boolean isIncomplete;
  private volatile int port;
  private long againNs;
  private Driver driver;
  private TcpAcceptor acceptor;
  private boolean isPaused;
  private long resumeNs;
  private volatile boolean isClosed;

  Listeners(WirePort wish) {
    this.wish = wish;
    this.port = wish.number();
  }

  /** The port of all of them; 0 while there is none. */
  int port() {
    return port;
  }

  /** What comes goes there from now on. */
  void start(Driver newDriver, TcpAcceptor newAcceptor) throws IOException {
    driver = newDriver;
    acceptor = newAcceptor;
    for (ServerSocketChannel socket : listening.values()) {
      register(socket);
    }
  }

  /** Whether every address is listened on, or was tried a moment ago. Any thread. */
  boolean areUpToDate(List<GidEntry> rows, long nowNs) {
    return isClosed || followed.equals(rows) && (!isIncomplete || nowNs - againNs < 0);
  }

  /** Later than when it is opened nothing is thrown: a device must go on with what it has. */
  void follow(List<GidEntry> rows) {
    if (isClosed) {
      return;
    }
    try {
      listenOn(rows);
    } catch (IOException e) {
      isIncomplete = true;
      againNs = System.nanoTime() + AGAIN_NS;
      LOG.warn("no data can come in for now: {}", e.getMessage());
    }
  }

  /** Waits, a bounded time, until sockets at addresses that are gone have given up their port. */
  void awaitReleased() {
    for (ServerSocketChannel socket; (socket = released.poll()) != null; ) {
      driver.awaitRelease(socket);
    }
  }

  /**
   * Listens on exactly these addresses.
   *
   * @throws BindException if none of them has the port that is required
   */
  void listenOn(List<GidEntry> rows) throws IOException {
    followed = List.copyOf(rows);
    List<Gid> wanted = rows.stream().map(GidEntry::gid).distinct().toList();
    closeAllBut(wanted);
    List<Gid> missing = new ArrayList<>(wanted);
    missing.removeAll(listening.keySet());
    isIncomplete = false;
    if (listening.isEmpty()) {
      choosePort(missing);
    } else {
      bind(missing, port, true);
    }
  }

  private void closeAllBut(List<Gid> wanted) {
    for (Iterator<Map.Entry<Gid, ServerSocketChannel>> all = listening.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<Gid, ServerSocketChannel> one = all.next();
      if (!wanted.contains(one.getKey())) {
        closeQuietly(one.getValue());
        released.add(one.getValue());
        all.remove();
      }
    }
  }

  private void choosePort(List<Gid> gids) throws IOException {
    // The former one where there was one: peers were told of it.
    Optional<PortRefusal> refusal = bind(gids, port, wish.isRequired());
    if (refusal.isEmpty()) {
      return;
    }
    if (wish.isRequired()) {
      throw new BindException(refusal.get().text());
    }
    for (int i = 0; i < KERNELS_CHOICES; i++) {
      if (bind(gids, 0, false).isEmpty()) {
        return;
      }
    }
    throw new BindException("no TCP port is free at all of " + addresses(gids));
  }

  private static String addresses(List<Gid> gids) {
    return String.join(", ", gids.stream().map(gid -> gid.toAddress().getHostAddress()).toList());
  }

  /**
   * Listens on addresses with one port.
   *
   * @param number 0 for the kernel's choice at the first
   * @param mayMiss whether one where the port is taken is left out; else all are given up for it
   * @return why it listens on none of them; empty if it does on one at least, or, unless some may
   *     miss, on all
   */
  private Optional<PortRefusal> bind(List<Gid> gids, int number, boolean mayMiss)
      throws IOException {
    Map<Gid, ServerSocketChannel> bound = new HashMap<>();
    boolean isKept = false;
    try {
      Optional<PortRefusal> refusal = bind(gids, number, mayMiss, bound);
      isKept = refusal.isEmpty();
      return refusal;
    } finally {
      // Also where descriptors ran out half way: what stays open would keep the port from us.
      if (!isKept) {
        bound.values().forEach(Listeners::closeQuietly);
      }
    }
  }

  private Optional<PortRefusal> bind(
      List<Gid> gids, int number, boolean mayMiss, Map<Gid, ServerSocketChannel> bound)
      throws IOException {
    int chosen = number;
    Optional<PortRefusal> refusal = Optional.empty();
    for (Gid gid : gids) {
      try {
        ServerSocketChannel socket = open(gid, chosen);
        bound.put(gid, socket);
        chosen = ((InetSocketAddress) socket.getLocalAddress()).getPort();
      } catch (BindException e) {
        if (isAddressHere(gid)) {
          refusal = Optional.of(new PortRefusal(chosen, addresses(gids), e));
          warn(gid, new PortRefusal(chosen, addresses(List.of(gid)), e), mayMiss);
        } else {
          // Such as an IPv6 address that the kernel still asks about.
          incomplete();
        }
      }
    }
    if (refusal.isPresent() && (!mayMiss || bound.isEmpty())) {
      return refusal;
    }
    for (ServerSocketChannel socket : bound.values()) {
      register(socket);
    }
    port = chosen;
    listening.putAll(bound);
    return Optional.empty();
  }

  private void warn(Gid gid, PortRefusal refusal, boolean isLeftOut) {
    if (isLeftOut) {
      incomplete();
      if (warned.add(gid)) {
        LOG.warn("no data can come in there for now: {}", refusal.text());
      }
    }
  }

  private void incomplete() {
    isIncomplete = true;
    againNs = System.nanoTime() + AGAIN_NS;
  }

  /**
   * @throws BindException if the port is taken, may not be had, or the address is gone; nothing is
   *     left open
   */
  private static ServerSocketChannel open(Gid gid, int number) throws IOException {
    ServerSocketChannel socket = ServerSocketChannel.open();
    try {
      socket.bind(new InetSocketAddress(gid.toAddress(), number), BACKLOG);
      return socket;
    } catch (IOException | RuntimeException | Error e) {
      closeQuietly(socket);
      throw e;
    }
  }

  /**
   * What Java says of a port that cannot be had and of an address that is gone is one exception.
   */
  private static boolean isAddressHere(Gid gid) throws IOException {
    try {
      closeQuietly(open(gid, 0));
      return true;
    } catch (BindException e) {
      return false;
    }
  }

  // --- what comes

  private void register(ServerSocketChannel socket) throws IOException {
    if (driver == null) {
      return;
    }
    driver.register(
        socket,
        isPaused ? 0 : SelectionKey.OP_ACCEPT,
        new Driver.Ready() {
          @Override
          public void ready(SelectionKey key) {
            accept(socket);
          }

          @Override
          public void broke(Throwable failure) {
            pause();
          }
        });
  }

  private void accept(ServerSocketChannel socket) {
    try {
      acceptor.accept(socket);
    } catch (IOException e) {
      // Typically EMFILE: the connection stays queued in the kernel until a descriptor is free.
      pause();
    }
  }

  private void pause() {
    isPaused = true;
    want(0);
    resumeNs = System.nanoTime() + PAUSE_NS;
    acceptor.armTimer(resumeNs);
  }

  private void want(int operations) {
    for (ServerSocketChannel socket : listening.values()) {
      driver.interest(socket, operations);
    }
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link SoftDevice#NEVER}
   */
  long onTimer(long nowNs) {
    if (!isPaused) {
      return SoftDevice.NEVER;
    }
    if (resumeNs - nowNs > 0) {
      return resumeNs;
    }
    isPaused = false;
    want(SelectionKey.OP_ACCEPT);
    return SoftDevice.NEVER;
  }

  void close() {
    isClosed = true;
    listening.values().forEach(Listeners::closeQuietly);
    listening.clear();
  }

  private static void closeQuietly(ServerSocketChannel socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("closing {} failed", socket, e);
    }
  }
}
