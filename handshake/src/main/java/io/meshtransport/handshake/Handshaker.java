// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
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
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Agrees with peers on connections: listens on one TCP port of this node's addresses for those who
 * want to connect, and connects to others, any number at a time in both directions. One per
 * transport, which opens and closes it.
 *
 * <p>Any thread may call any method; none of them waits, except {@link #open} for the port and
 * {@link #close}. One event-loop thread does all network work, up to four callback threads run what
 * belongs to the owner ({@link Acceptor}, {@link BringUp}, dependents of futures); all are daemons
 * named {@code mesh-handshake-<n>}.
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
 * The TCP connection then waits for another HELLO over the same way, where both want it to, until
 * the acceptor has waited for {@link HandshakeSettings#helloTimeoutMs}; it ends at once otherwise.
 */
public final class Handshaker implements AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(Handshaker.class);

  /** When this host had no thread for callbacks it is asked again after this. */
  private static final int THREAD_RETRY_MS = 50;

  /** Longest {@link #close} waits for callbacks, and again for threads, in milliseconds. */
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

  /** Of C plugins; confined to the event loop. */
  private final Set<ListeningSockets> legacyServers = new LinkedHashSet<>();

  private volatile Set<InetAddress> addresses = Set.of();
  private ListeningSockets server;

  /** Set where close() was called from a callback. */
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
   * Listens on a port of this node's addresses and answers peers from now on.
   *
   * @param addresses of this node's NICs; {@link #listenOn} changes them. One that the host does
   *     not have is listened on when it has it
   * @param self who this node is; the same as in its handle
   * @param acceptor owner of the queue pairs of accepted connections
   * @throws HandshakeException LOCAL_SOCKET if the port cannot be listened on at one of the
   *     addresses; a retry helps once whoever holds the port has gone
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
   * @param clockNs monotonic, in nanoseconds; deadlines of {@link ConnectRequest} are on it
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
    handshaker.addresses = Set.copyOf(addresses);
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
        settings.secret().isPresent() ? ", secret demanded" : "");
    return handshaker;
  }

  private void listen(HandshakeSettings settings) throws HandshakeException {
    try {
      server =
          bind(
              settings.port(),
              inbound::newConnection,
              "Set MESH_HANDSHAKE_PORT to another port, or to 0 to let the kernel choose one; `ss -ltnp` shows"
                  + " who holds this one.");
    } catch (HandshakeException taken) {
      if (!settings.orAnyPort()) {
        throw taken;
      }
      server = bind(0, inbound::newConnection, "Has this host run out of ports?");
      LOG.info(
          "handshake: TCP port {} is taken, by another transport of this host perhaps; port {} is used instead",
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
   * addresses come and go. Connections that stand stay. Never waits; an address that cannot be
   * listened on is tried again until it can, or is taken out here.
   */
  public void listenOn(Collection<InetAddress> newAddresses) {
    Set<InetAddress> now = Set.copyOf(newAddresses);
    addresses = now;
    toLoop(
        () -> {
          server.listenOn(now);
          legacyServers.forEach(legacy -> legacy.listenOn(now));
        });
  }

  /** Nothing is left to do where the loop has ended: its sockets are closed. */
  private void toLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("handshake: closed, so it listens on nothing");
    }
  }

  /**
   * Answers C plugins (nccl-mesh) at a port of its own, on this node's addresses, from now on and
   * until it is closed. They share the bounds, deadlines and counters of everybody else who
   * connects here. Their wire has no authentication: whoever reaches the port gets a queue pair.
   *
   * @param acceptor owner of the queue pairs of connections at this port
   * @return the caller's to close
   * @throws HandshakeException LOCAL_SOCKET if the system has no port; a retry helps once others
   *     have gone
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
   * What those who ask who this node is are told from now on: nothing until this is called first.
   *
   * @param handle of a listener, {@link PeerHandle} or {@link CompatHandle} as bytes, copied; empty
   *     where there is none (any more)
   */
  public void publish(Optional<byte[]> handle) {
    inbound.publish(handle.map(byte[]::clone));
  }

  /** Counts what the system refuses; Netty tries again a second later. */
  private final class AcceptFailures extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      counters.count(Counter.ACCEPT_FAILED);
      LOG.debug("handshake: accept failed: {}", cause.getMessage());
    }
  }

  /** The TCP port peers reach this node at, for its handle. */
  public int port() {
    return server.port();
  }

  /** Who this node is. */
  public NodeId self() {
    return identity.self();
  }

  /** What happened so far; live. */
  public HandshakeCounters counters() {
    return counters;
  }

  /**
   * Connects in the background. At most {@link HandshakeSettings#maxHalfOpen} connects are on the
   * wire at once, the others wait for their turn; at most 65,536 may be unfinished.
   *
   * <p>The future completes on a callback thread. It fails with a {@link HandshakeException} alone
   * whose {@link HandshakeException#reason()} says why; never while {@code bringUp} runs, so that
   * the owner may destroy its queue pair at once. Cancelling the future gives up the connect; a
   * {@code bringUp} that runs at that moment is not waited for.
   *
   * @param bringUp called at most once, whatever the number of attempts
   */
  public CompletableFuture<Established> connect(ConnectRequest request, BringUp bringUp) {
    Objects.requireNonNull(bringUp, "bringUp");
    return dialer.connect(request, bringUp);
  }

  /**
   * Asks in the background whoever listens at an address for its handle. Bounds and threads as for
   * {@link #connect}. With a secret both sides prove that they know it before the answer is
   * believed. A peer that is BUSY is asked again until the deadline.
   *
   * <p>The future completes with the bytes of a handle that can be decoded. It fails with a {@link
   * HandshakeException} alone: GARBAGE if a stranger answers, NOT_LISTENING if the peer has no
   * listener, and otherwise as a connect. Cancelling it gives up.
   *
   * <pre>
   *  asker                                                      who is asked
   *      | ------------------ QUERY ------------------------------> |
   *      | <----------------- CHALLENGE --------------------------- |   only with a secret
   *      | ------------------ PROOF ------------------------------> |
   *      | <----------------- HANDLE, PROOF, end of the connection - |
   * </pre>
   */
  public CompletableFuture<byte[]> lookup(LookupRequest question) {
    return dialer.lookup(Objects.requireNonNull(question, "question"));
  }

  /**
   * Connects to a C plugin's listener in the background. Bounds, threads and failures as for {@link
   * #connect}; but nobody proves who answers, and there is no READY: the listener has its queue
   * pair up when it answers, and this side is done when {@code bringUp} is.
   *
   * @param bringUp called at most once, whatever the number of attempts
   */
  public CompletableFuture<LegacyEstablished> connectLegacy(
      LegacyConnectRequest request, LegacyBringUp bringUp) {
    Objects.requireNonNull(bringUp, "bringUp");
    return dialer.connectLegacy(request, bringUp);
  }

  /**
   * Stops listening, fails everything unfinished with CLOSED, and ends all threads. Waits for
   * callbacks that run, then interrupts them: at most about six seconds if one of them hangs, else
   * some milliseconds. Safe to call at any time, again, and from a callback, where it returns at
   * once and the end comes after.
   */
  @Override
  public void close() {
    boolean first = closing.compareAndSet(false, true);
    if (threads.isOwnThread()) {
      if (first) {
        // Not one of our threads: it waits for them.
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
    boolean told = awaitQuietly(emptied, CLOSE_TIMEOUT_MS);
    boolean idle = callbacks.close(CLOSE_TIMEOUT_MS);
    loop.shutdownGracefully(0, CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    boolean ended = joinThreads();
    if (!(idle && ended)) {
      LOG.warn(
          "handshake: closed while a thread is still busy, with a callback of the owner that hangs"
              + " or since this host is overloaded; it stays until it is done");
      dialer.abandonAll();
    } else if (!told) {
      LOG.warn("handshake: a callback of the owner hung at close and was interrupted");
    }
    LOG.debug("handshake: node {} closed, having counted {}", identity.self().shortId(), counters);
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
