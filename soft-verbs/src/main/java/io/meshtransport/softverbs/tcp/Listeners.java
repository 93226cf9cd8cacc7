// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.softverbs.rc.DeviceTimers;
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
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The sockets on which a device accepts connections: one for each of its addresses, updated as
 * these come and go, all with the same port. Guarded by the device's lock, except {@link
 * #isUpToDate}, {@link #port} and {@link #awaitReleased}.
 */
final class Listeners {
  private static final Logger LOG = LogManager.getLogger(Listeners.class);

  /** Connections that the kernel queues between two accepts; it may cap this lower. */
  private static final int BACKLOG = 4096;

  /** Attempts: a port that the kernel chose at one address may be in use at the next. */
  private static final int KERNEL_CHOICE_TRIES = 16;

  /**
   * An address that could not be listened on is tried again after this: a peer that has been told
   * of it goes on dialling for a few seconds.
   */
  private static final long RETRY_NS = 500_000_000L;

  /**
   * Without a descriptor for it a connection stays queued in the kernel for so long, and then
   * again.
   */
  private static final long PAUSE_NS = 100_000_000L;

  private final WirePort requested;
  private final Map<Gid, ServerSocketChannel> listening = new HashMap<>();
  private final Queue<ServerSocketChannel> released = new ConcurrentLinkedQueue<>();
  private final Set<Gid> warned = new HashSet<>();
  private volatile List<GidEntry> boundRows = List.of();
  private volatile boolean isIncomplete;
  private volatile int port;
  private long retryNs;
  private DrivenDevice driven;
  private TcpAcceptor acceptor;
  private boolean isPaused;
  private long resumeNs;
  private volatile boolean isClosed;

  Listeners(WirePort requested) {
    this.requested = requested;
    this.port = requested.number();
  }

  /** The port of all of them; 0 while there is none. */
  int port() {
    return port;
  }

  /** Accepts connections from now on. */
  void start(DrivenDevice newDriven, TcpAcceptor newAcceptor) throws IOException {
    driven = newDriven;
    acceptor = newAcceptor;
    for (ServerSocketChannel socket : listening.values()) {
      register(socket);
    }
    if (isIncomplete) {
      acceptor.armTimer(retryNs);
    }
  }

  /** Whether every address is listened on, or was tried a moment ago. Any thread. */
  boolean isUpToDate(List<GidEntry> rows, long nowNs) {
    return isClosed || boundRows.equals(rows) && (!isIncomplete || nowNs - retryNs < 0);
  }

  /**
   * Listens on these addresses. Throws nothing, unlike {@link #listenOn}: an open device goes on
   * with the addresses it has.
   */
  void update(List<GidEntry> rows) {
    if (isClosed) {
      return;
    }
    boolean isAgain = isIncomplete;
    try {
      listenOn(rows);
    } catch (IOException e) {
      incomplete();
      LOG.log(
          isAgain ? Level.DEBUG : Level.WARN, "no data can come in for now: {}", e.getMessage());
    }
  }

  /** Waits, a bounded time, until sockets at addresses that are gone have released their port. */
  void awaitReleased() {
    for (ServerSocketChannel socket; (socket = released.poll()) != null; ) {
      driven.driver().awaitRelease(socket);
    }
  }

  /**
   * Listens on exactly these addresses.
   *
   * @throws BindException if none of them has the port that is required
   */
  void listenOn(List<GidEntry> rows) throws IOException {
    boundRows = List.copyOf(rows);
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
    // The previous port where there was one: peers know it.
    Optional<PortRefusal> refusal = bind(gids, port, requested.isRequired());
    if (refusal.isEmpty()) {
      return;
    }
    if (requested.isRequired()) {
      throw new BindException(refusal.get().text());
    }
    for (int i = 0; i < KERNEL_CHOICE_TRIES; i++) {
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
   * @param mayMiss whether an address where the port is in use is left out; else that fails all of
   *     them
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
      // Also where descriptors ran out half way: an open socket would keep the port in use.
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
          // Such as an IPv6 address whose duplicate detection is still under way.
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
    retryNs = System.nanoTime() + RETRY_NS;
    if (acceptor != null) {
      acceptor.armTimer(retryNs);
    }
  }

  /**
   * @throws BindException if the port is in use, is not permitted, or the address is gone; nothing
   *     is left open
   */
  private ServerSocketChannel open(Gid gid, int number) throws IOException {
    ServerSocketChannel socket = ServerSocketChannel.open();
    try {
      socket.bind(new InetSocketAddress(gid.toAddress(scope(gid)), number), BACKLOG);
      return socket;
    } catch (IOException | RuntimeException | Error e) {
      closeQuietly(socket);
      throw e;
    }
  }

  /** The interface of the row with this GID. */
  private int scope(Gid gid) {
    for (GidEntry row : boundRows) {
      if (row.gid().equals(gid)) {
        return row.ifindex();
      }
    }
    return 0;
  }

  /**
   * Whether the address exists: Java throws one exception for a port that cannot be bound and for
   * an address that is gone.
   */
  private boolean isAddressHere(Gid gid) throws IOException {
    try {
      closeQuietly(open(gid, 0));
      return true;
    } catch (BindException e) {
      return false;
    }
  }

  private void register(ServerSocketChannel socket) throws IOException {
    if (driven == null) {
      return;
    }
    driven.register(
        socket,
        isPaused ? 0 : SelectionKey.OP_ACCEPT,
        new SelectionHandler() {
          @Override
          public void onReady(SelectionKey key) {
            accept(socket);
          }

          @Override
          public void onFailure(Throwable failure) {
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
    setInterest(0);
    resumeNs = System.nanoTime() + PAUSE_NS;
    acceptor.armTimer(resumeNs);
  }

  private void setInterest(int operations) {
    for (ServerSocketChannel socket : listening.values()) {
      driven.driver().setInterest(socket, operations);
    }
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link DeviceTimers#NEVER}
   */
  long onTimer(long nowNs) {
    return Math.min(resume(nowNs), retry(nowNs));
  }

  private long resume(long nowNs) {
    if (!isPaused) {
      return DeviceTimers.NEVER;
    }
    if (resumeNs - nowNs > 0) {
      return resumeNs;
    }
    isPaused = false;
    setInterest(SelectionKey.OP_ACCEPT);
    return DeviceTimers.NEVER;
  }

  /** Peers may be dialling an address, though nobody here reads the table meanwhile. */
  private long retry(long nowNs) {
    if (!isIncomplete || isClosed) {
      return DeviceTimers.NEVER;
    }
    if (retryNs - nowNs <= 0) {
      update(boundRows);
    }
    return isIncomplete ? retryNs : DeviceTimers.NEVER;
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
