// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.nic.ScopedAddress;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Shakes hands with peers: listens for them on one TCP port of this node's addresses, and connects
 * to others, any number at a time in both directions. One per transport, which opens and closes it.
 *
 * <p>Any thread may call any method; none of them blocks, except {@link #open} for the port and
 * {@link #close}. One event-loop thread does all network work; up to four callback threads run
 * {@link Acceptor}, {@link BringUp} and dependents of futures. All are daemons named {@code
 * mesh-handshake-<n>}.
 *
 * <pre>
 *  connector                                                  acceptor
 *  queue pair in INIT, receives posted
 *      | ------------------ HELLO (its endpoint) ---------------> |
 *      | <----------------- CHALLENGE --------------------------- |   only with a secret
 *      | ------------------ PROOF ------------------------------> |
 *      |                                                          | offer(): INIT, RTR, RTS
 *      | <----------------- HELLO (its endpoint), PROOF --------- |
 *  bringUp(): RTR, RTS                                            |
 *      | ------------------ READY ------------------------------> |
 *      |                                                          | established()
 *      | <----------------- READY ------------------------------- |
 *  future completes
 * </pre>
 *
 * If both sides support it, the TCP connection then stays idle for another HELLO between the same
 * addresses, until the acceptor has waited for {@link HandshakeSettings#helloTimeoutMs}. Otherwise
 * it is closed at once.
 */
public final class Handshaker implements AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(Handshaker.class);

  /** Milliseconds until the next try to start a thread for callbacks, where the system had none. */
  private static final int THREAD_RETRY_MS = 50;

  /** Max time that {@link #close} waits for callbacks, and again for threads, in milliseconds. */
  static final int CLOSE_TIMEOUT_MS = 2000;

  private final CallbackThreads.Threads threads = new CallbackThreads.Threads();
  private final EventLoop loop;
  private final CallbackThreads callbacks;
  private final HandshakeCounters counters = new HandshakeCounters();
  private final Identity identity;
  private final InboundConnections inbound;
  private final Dialer dialer;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /** Sockets for C plugins; confined to the event loop. */
  private final Set<ListeningSockets> legacyServers = new LinkedHashSet<>();

  private volatile Set<ScopedAddress> addresses = Set.of();
  private ListeningSockets server;

  /** Set if close() was called from a callback. */
  private volatile Thread closer;

  private Handshaker(HandshakeSettings settings, Identity identity, Acceptor acceptor) {
    this.identity = identity;
    loop = new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
    callbacks =
        new CallbackThreads(
            settings.maxHalfOpen() + Dialer.MAX_CONNECTS,
            threads,
            task -> loop.schedule(task, THREAD_RETRY_MS, TimeUnit.MILLISECONDS));
    inbound = new InboundConnections(loop, callbacks, identity, settings, acceptor, counters);
    dialer = new Dialer(loop, callbacks, identity, settings, counters);
  }

  /**
   * Opens a handshaker, which listens on a port of this node's addresses and answers peers.
   *
   * @param addresses addresses of this node's NICs; {@link #listenOn} changes them. One that the
   *     host does not have is listened on as soon as it has it
   * @param self the id of this node, as in its handle
   * @param acceptor makes the queue pairs of accepted connections
   * @throws HandshakeException LOCAL_SOCKET if the port is in use at one of the addresses; a retry
   *     helps once the other program has closed it
   */
  public static Handshaker open(
      HandshakeSettings settings, Collection<InetAddress> addresses, NodeId self, Acceptor acceptor)
      throws HandshakeException {
    return open(settings, addresses, self, acceptor, new SecureRandom(), System::nanoTime);
  }

  /**
   * As {@link #open(HandshakeSettings, Collection, NodeId, Acceptor)}, with randomness and time
   * passed in.
   *
   * @param clockNs monotonic, in nanoseconds; deadlines of {@link ConnectRequest} are on this clock
   */
  public static Handshaker open(
      HandshakeSettings settings,
      Collection<InetAddress> addresses,
      NodeId self,
      Acceptor acceptor,
      SecureRandom random,
      LongSupplier clockNs)
      throws HandshakeException {
    Objects.requireNonNull(acceptor, "acceptor");
    Handshaker handshaker =
        new Handshaker(settings, new Identity(self, settings.secret(), random, clockNs), acceptor);
    handshaker.addresses = scoped(addresses);
    try {
      handshaker.listen(settings);
    } catch (HandshakeException e) {
      handshaker.close();
      throw e;
    }
    LOG.info(
        "handshake: node {} listens on TCP port {} of {}{}",
        self.shortId(),
        handshaker.port(),
        addresses.stream().map(InetAddress::getHostAddress).toList(),
        settings.secret().isPresent() ? ", secret required" : "");
    return handshaker;
  }

  private void listen(HandshakeSettings settings) throws HandshakeException {
    try {
      server =
          bind(
              settings.port(),
              inbound::newConnection,
              "Set MESH_HANDSHAKE_PORT to another port, or to 0 to let the kernel choose one; `ss -ltnp` shows"
                  + " the program that has this one.");
    } catch (HandshakeException taken) {
      if (!settings.orAnyPort()) {
        throw taken;
      }
      server = bind(0, inbound::newConnection, "Has this host run out of ports?");
      LOG.info(
          "handshake: TCP port {} is in use, perhaps by another transport of this host; port {} is used instead",
          settings.port(),
          port());
    }
  }

  private ListeningSockets bind(int port, Supplier<ChannelHandler> connections, String remedy)
      throws HandshakeException {
    return ListeningSockets.open(loop, port, addresses, AcceptFailures::new, connections, remedy);
  }

  /**
   * Listens on the same ports of these addresses from now on, and on no others: for hosts whose
   * addresses come and go. Open connections stay. Never blocks; an address that cannot be bound is
   * tried again until it can, or until a call without it.
   */
  public void listenOn(Collection<InetAddress> newAddresses) {
    Set<ScopedAddress> now = scoped(newAddresses);
    addresses = now;
    toLoop(
        () -> {
          server.listenOn(now);
          legacyServers.forEach(legacy -> legacy.listenOn(now));
        });
  }

  /** Two NICs may have the same link-local address. */
  private static Set<ScopedAddress> scoped(Collection<InetAddress> addresses) {
    return addresses.stream().map(ScopedAddress::of).collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Runs a task on the event loop; does nothing if that has ended, since its sockets are closed.
   */
  private void toLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("handshake: closed, so it listens on nothing");
    }
  }

  /**
   * Answers C plugins (nccl-mesh) at a port of its own, on this node's addresses, until it is
   * closed. They share the bounds, deadlines and counters of all other peers. Their wire has no
   * authentication: every host that reaches the port gets a queue pair.
   *
   * @param acceptor makes the queue pairs of connections at this port
   * @return the caller's to close
   * @throws HandshakeException LOCAL_SOCKET if the system has no free port; a retry helps once
   *     others are closed
   */
  public LegacyPort listenLegacy(LegacyAcceptor acceptor) throws HandshakeException {
    Objects.requireNonNull(acceptor, "acceptor");
    ListeningSockets sockets =
        bind(0, () -> inbound.newLegacyConnection(acceptor), "Are there too many listeners?");
    toLoop(
        () -> {
          legacyServers.add(sockets);
          sockets.listenOn(addresses);
        });
    return new LegacyPort(
        sockets.port(),
        () ->
            toLoop(
                () -> {
                  legacyServers.remove(sockets);
                  sockets.close();
                }));
  }

  /**
   * Answers handle queries with this handle from now on. Until the first call they are refused.
   *
   * @param handle handle of a listener, an encoded {@link PeerHandle} or {@link CompatHandle},
   *     copied; empty if there is no listener
   */
  public void publish(Optional<byte[]> handle) {
    inbound.publish(handle.map(byte[]::clone));
  }

  /** Counts failed accepts; Netty tries again a second later. */
  private final class AcceptFailures extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      counters.count(Counter.ACCEPT_FAILED);
      LOG.debug("handshake: accept failed: {}", cause.getMessage());
    }
  }

  /** The TCP port of this node's handshakes, for its handle. */
  public int port() {
    return server.port();
  }

  /** The id of this node. */
  public NodeId self() {
    return identity.self();
  }

  /** The counters; live. */
  public HandshakeCounters counters() {
    return counters;
  }

  /**
   * Connects in the background. At most {@link HandshakeSettings#maxHalfOpen} connects are on the
   * wire at once, the others are queued; at most 65,536 may be in progress.
   *
   * <p>The future completes on a callback thread. It fails with a {@link HandshakeException} only,
   * whose {@link HandshakeException#reason()} says why, and never while {@code bringUp} runs, so
   * that the caller may destroy its queue pair at once. Cancelling the future cancels the connect,
   * without waiting for a {@code bringUp} that is running.
   *
   * @param bringUp called at most once, whatever the number of attempts
   */
  public CompletableFuture<Established> connect(ConnectRequest request, BringUp bringUp) {
    Objects.requireNonNull(bringUp, "bringUp");
    return dialer.connect(request, bringUp);
  }

  /**
   * Queries the node at an address for its handle, in the background. Bounds and threads are as for
   * {@link #connect}. With a secret both sides prove that they know it before the answer is
   * accepted. A BUSY peer is queried again until the deadline.
   *
   * <p>The future completes with the bytes of a handle that can be decoded. It fails with a {@link
   * HandshakeException} only: GARBAGE if other software answers, NOT_LISTENING if the peer has no
   * listener, and otherwise as a connect. Cancelling it cancels the lookup.
   *
   * <pre>
   *  querying node                                              queried node
   *      | ------------------ QUERY ------------------------------> |
   *      | <----------------- CHALLENGE --------------------------- |   only with a secret
   *      | ------------------ PROOF ------------------------------> |
   *      | <----------------- HANDLE, PROOF, end of the connection - |
   * </pre>
   */
  public CompletableFuture<byte[]> lookup(LookupRequest request) {
    return dialer.lookup(Objects.requireNonNull(request, "request"));
  }

  /**
   * Connects to a C plugin's listener in the background. Bounds, threads and failures are as for
   * {@link #connect}; but the peer does not prove who it is, and there is no READY: the listener's
   * queue pair is up when it answers, and this side is done when {@code bringUp} returns.
   *
   * @param bringUp called at most once, whatever the number of attempts
   */
  public CompletableFuture<LegacyEstablished> connectLegacy(
      LegacyConnectRequest request, LegacyBringUp bringUp) {
    Objects.requireNonNull(bringUp, "bringUp");
    return dialer.connectLegacy(request, bringUp);
  }

  /**
   * Stops listening, fails everything in progress with CLOSED, and ends all threads. Waits for
   * running callbacks, then interrupts them: at most about six seconds if one hangs, else some
   * milliseconds. Safe to call at any time, twice, and from a callback, where it returns at once
   * and closes afterwards.
   */
  @Override
  public void close() {
    boolean first = closing.compareAndSet(false, true);
    if (threads.isOwnThread()) {
      if (first) {
        // A thread that is not one of ours, because it waits for them.
        closer = new Thread(this::closeFully, "mesh-handshake-close");
        closer.setDaemon(true);
        closer.start();
      }
    } else if (first) {
      closeFully();
    } else {
      awaitOtherClose();
    }
  }

  private void awaitOtherClose() {
    awaitQuietly(closed, 3 * CLOSE_TIMEOUT_MS);
    Thread other = closer;
    if (other != null) {
      try {
        other.join(CLOSE_TIMEOUT_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeFully() {
    CompletableFuture<Void> emptied = new CompletableFuture<>();
    loop.execute(
        () -> {
          if (server != null) {
            server.close();
          }
          legacyServers.forEach(ListeningSockets::close);
          CompletableFuture.allOf(inbound.close(), dialer.close())
              .whenComplete((done, failure) -> emptied.complete(null));
        });
    boolean completed = awaitQuietly(emptied, CLOSE_TIMEOUT_MS);
    boolean idle = callbacks.close(CLOSE_TIMEOUT_MS);
    loop.shutdownGracefully(0, CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    boolean ended = joinThreads();
    if (!(idle && ended)) {
      LOG.warn(
          "handshake: closed while a thread is still busy, with a callback that hangs"
              + " or because this host is overloaded; the thread ends when that is done");
      dialer.abandonAll();
    } else if (!completed) {
      LOG.warn("handshake: a callback hung at close and was interrupted");
    }
    LOG.debug("handshake: node {} closed, counters: {}", identity.self().shortId(), counters);
    closed.complete(null);
  }

  private boolean joinThreads() {
    try {
      return threads.join(CLOSE_TIMEOUT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean awaitQuietly(CompletableFuture<Void> future, int timeoutMs) {
    try {
      future.get(timeoutMs, TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    }
  }
}
