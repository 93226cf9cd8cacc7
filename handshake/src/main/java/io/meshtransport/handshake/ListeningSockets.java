// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.nic.ScopedAddress;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One TCP port on several addresses: a listening socket per address, none on the wildcard address.
 * The port is chosen once, free on all addresses at that moment; {@link #listenOn} opens and closes
 * sockets as addresses come and go. Confined to the event loop, except {@link #open} and {@link
 * #port}.
 */
final class ListeningSockets {
  private static final Logger LOG = LogManager.getLogger(ListeningSockets.class);

  /** Number of ports of the kernel's choice that are tried. */
  private static final int PORTS_TRIED = 64;

  /** An IPv6 address cannot be bound for the second or so of its duplicate detection. */
  private static final int BIND_AGAIN_MS = 250;

  private final EventLoop loop;
  private final Supplier<ChannelHandler> failures;
  private final Supplier<ChannelHandler> connections;
  private final Map<ScopedAddress, Channel> sockets = new HashMap<>();
  private final Set<ScopedAddress> binding = new HashSet<>();

  private final BindFailures bindFailures = new BindFailures();

  private Set<ScopedAddress> wanted = Set.of();
  private boolean retryDue;
  private boolean closed;
  private volatile int port;

  private ListeningSockets(
      EventLoop loop, Supplier<ChannelHandler> failures, Supplier<ChannelHandler> connections) {
    this.loop = loop;
    this.failures = failures;
    this.connections = connections;
  }

  /**
   * Listens on a port of each address. Blocks for the sockets, so it must not run on the event
   * loop. An address that this host does not have now is listened on once it has it.
   *
   * @param port 0 for a port of the kernel's choice
   * @param remedy what to do if the port is in use
   * @throws HandshakeException LOCAL_SOCKET if the port is in use at one of the addresses, or
   *     sockets have run out; no socket stays open
   */
  static ListeningSockets open(
      EventLoop loop,
      int port,
      Set<ScopedAddress> addresses,
      Supplier<ChannelHandler> failures,
      Supplier<ChannelHandler> connections,
      String remedy)
      throws HandshakeException {
    Throwable taken = new BindException("no port is free on all addresses");
    for (int tried = 0; tried < (port == 0 ? PORTS_TRIED : 1); tried++) {
      ListeningSockets sockets = new ListeningSockets(loop, failures, connections);
      try {
        sockets.bindAll(port, addresses);
        loop.execute(() -> sockets.listenOn(addresses));
        return sockets;
      } catch (PortTakenException e) {
        sockets.closeAtOnce();
        taken = e.getCause();
      } catch (SocketsExhaustedException e) {
        sockets.closeAtOnce();
        throw refused(port, e.getCause(), "Are descriptors used up? `ulimit -n` shows the limit.");
      }
    }
    throw refused(port, taken, remedy);
  }

  private static HandshakeException refused(int port, Throwable cause, String remedy) {
    return new HandshakeException(
        Reason.LOCAL_SOCKET,
        "listen on TCP port " + port,
        "Namely: " + cause.getMessage() + ". " + remedy,
        PlainCause.of(cause));
  }

  /** Another program uses the port, or has it exclusively. */
  private static final class PortTakenException extends Exception {
    private static final long serialVersionUID = 1L;

    PortTakenException(Throwable cause) {
      super(cause);
    }
  }

  /** The system has no socket. */
  private static final class SocketsExhaustedException extends Exception {
    private static final long serialVersionUID = 1L;

    SocketsExhaustedException(Throwable cause) {
      super(cause);
    }
  }

  private void bindAll(int wantedPort, Set<ScopedAddress> addresses)
      throws PortTakenException, SocketsExhaustedException {
    port = wantedPort;
    for (ScopedAddress address : addresses) {
      ChannelFuture bound = bind(address, port).awaitUninterruptibly();
      if (bound.isSuccess()) {
        sockets.put(address, bound.channel());
        port = portOf(bound.channel());
      } else {
        requireAbsent(address, bound.cause());
      }
    }
    if (port == 0) {
      port = anyFreePort();
    }
  }

  /** Throws unless the address is absent: only this cause of a failed bind passes by itself. */
  private void requireAbsent(ScopedAddress address, Throwable failure)
      throws PortTakenException, SocketsExhaustedException {
    if (!(PlainCause.of(failure) instanceof BindException)) {
      throw new SocketsExhaustedException(failure);
    }
    ChannelFuture anyPort = bind(address, 0).awaitUninterruptibly();
    if (anyPort.isSuccess()) {
      anyPort.channel().close().awaitUninterruptibly();
      throw new PortTakenException(failure);
    }
  }

  /** A port for a host that has none of the addresses yet. */
  private static int anyFreePort() throws SocketsExhaustedException {
    try (ServerSocket anywhere = new ServerSocket(0)) {
      return anywhere.getLocalPort();
    } catch (IOException e) {
      throw new SocketsExhaustedException(e);
    }
  }

  private ChannelFuture bind(ScopedAddress address, int atPort) {
    return Sockets.listen(
        loop,
        new InetSocketAddress(address.toSocketAddress(), atPort),
        failures.get(),
        connections);
  }

  private static int portOf(Channel channel) {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  private void closeAtOnce() {
    sockets.values().forEach(socket -> socket.close().awaitUninterruptibly());
  }

  int port() {
    return port;
  }

  /** Listens on these addresses from now on, and on no others. */
  void listenOn(Set<ScopedAddress> addresses) {
    if (closed) {
      return;
    }
    wanted = addresses;
    bindFailures.retain(addresses);
    for (ScopedAddress address : List.copyOf(sockets.keySet())) {
      if (!addresses.contains(address)) {
        sockets.remove(address).close();
        LOG.info("handshake: no longer listens on {} port {}", address, port);
      }
    }
    bindMissing();
  }

  private void bindMissing() {
    for (ScopedAddress address : wanted) {
      if (!sockets.containsKey(address) && binding.add(address)) {
        ChannelFuture bound = bind(address, port);
        bound.addListener(done -> bound(address, bound));
      }
    }
  }

  private void bound(ScopedAddress address, ChannelFuture bound) {
    binding.remove(address);
    boolean isWanted = !closed && wanted.contains(address);
    if (bound.isSuccess() && isWanted) {
      sockets.put(address, bound.channel());
      bindFailures.passed(address);
      LOG.info("handshake: listens on {} port {}", address, port);
    } else if (bound.isSuccess()) {
      bound.channel().close();
    } else if (isWanted) {
      if (bindFailures.isNews(address, bound.cause())) {
        LOG.warn(
            "handshake: cannot listen on {} port {}, so no peer connects there: {}. It is tried again"
                + " until the address is gone; `ss -ltnp` shows the program that uses the port.",
            address,
            port,
            bound.cause().getMessage());
      }
      bindAgainSoon();
    }
  }

  private void bindAgainSoon() {
    if (!retryDue) {
      retryDue = true;
      loop.schedule(
          () -> {
            retryDue = false;
            if (!closed) {
              bindMissing();
            }
          },
          BIND_AGAIN_MS,
          TimeUnit.MILLISECONDS);
    }
  }

  /** Accepts no more connections; open ones go on. */
  void close() {
    closed = true;
    sockets.values().forEach(Channel::close);
    sockets.clear();
  }
}
