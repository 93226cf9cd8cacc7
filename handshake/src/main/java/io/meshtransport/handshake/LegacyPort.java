package io.meshtransport.handshake;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;

/**
 * A TCP port at which C plugins connect to one listener: their message does not name a listener, so
 * each has a port of its own. Made by {@link Handshaker#listenLegacy}; any thread.
 */
public final class LegacyPort implements AutoCloseable {
  private final Channel server;

  LegacyPort(Channel server) {
    this.server = server;
  }

  /** Its number, for the handle. */
  public int port() {
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  /** Takes no more connections; those under way go on. Safe to call twice; does not wait. */
  @Override
  public void close() {
    server.close();
  }
}
