// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TP;
import org.jgroups.stack.IpAddress;

/**
 * The least that a transport of MESH's kind does, over plain sockets: one connection to each peer
 * for both directions, one thread that reads all of them, a bound on the bundles under way, and an
 * acknowledgement of each bundle. It has no tags, no receives that are posted and advertised, no
 * sessions that are opened again, no deadlines. What this does not reach with the JDK's sockets,
 * nothing that does more will; beside MESH it copies each bundle once more, as JGroups' own TCP
 * does. JGroups makes it, starts and stops it.
 */
public final class AcknowledgedTcp extends TP {
  /** Above those JGroups keeps for itself (512), and free in its tables. */
  private static final short PROTOCOL_ID = 7111;

  private static final int CONNECT_MS = 2_000;

  /** The thread also comes back for acknowledgements that did not fit into a socket. */
  private static final long SELECT_MS = 10;

  static {
    ClassConfigurator.addProtocol(PROTOCOL_ID, AcknowledgedTcp.class);
  }

  private final Map<IpAddress, AcknowledgedLink> links = new ConcurrentHashMap<>();
  private Selector selector;
  private ServerSocketChannel server;
  private Thread thread;
  private IpAddress self;

  /** For JGroups, which makes it by name. */
  public AcknowledgedTcp() {}

  @Override
  public boolean supportsMulticasting() {
    return false;
  }

  /** For JGroups, which prints it about a transport. */
  public String getInfo() {
    return links.toString();
  }

  @Override
  protected PhysicalAddress getPhysicalAddress() {
    return self;
  }

  @Override
  public void start() throws Exception {
    self = new IpAddress(bind_addr, bind_port);
    selector = Selector.open();
    server = ServerSocketChannel.open();
    server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    server.bind(new InetSocketAddress(bind_addr, bind_port));
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    thread = new Thread(this::serve, "acknowledged-tcp");
    thread.setDaemon(true);
    thread.start();
    super.start();
  }

  @Override
  public void stop() {
    super.stop();
    try {
      selector.close();
      server.close();
      for (AcknowledgedLink each : links.values()) {
        each.close();
      }
      links.clear();
      thread.join();
    } catch (IOException e) {
      log.warn("%s cannot close its sockets: %s", self, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void sendUnicast(PhysicalAddress dest, byte[] data, int offset, int length)
      throws Exception {
    if (!dest.equals(self)) {
      link((IpAddress) dest).send(data, offset, length);
    }
  }

  private AcknowledgedLink link(IpAddress peer) throws IOException {
    AcknowledgedLink open = links.get(peer);
    return open != null ? open : dial(peer);
  }

  private synchronized AcknowledgedLink dial(IpAddress peer) throws IOException {
    AcknowledgedLink open = links.get(peer);
    if (open != null) {
      return open;
    }
    SocketChannel channel = SocketChannel.open();
    try {
      channel.bind(new InetSocketAddress(self.getIpAddress(), 0));
      channel
          .socket()
          .connect(new InetSocketAddress(peer.getIpAddress(), peer.getPort()), CONNECT_MS);
      AcknowledgedLink link = new AcknowledgedLink(this, channel, peer);
      link.introduce(self);
      link.register(selector);
      links.put(peer, link);
      return link;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private void serve() {
    try {
      while (selector.isOpen()) {
        selector.select(this::ready, SELECT_MS);
        for (AcknowledgedLink each : links.values()) {
          each.acknowledge();
        }
      }
    } catch (ClosedSelectorException e) {
      log.trace("%s: stopped", self);
    } catch (IOException e) {
      log.error("%s: the thread that reads has ended: %s", self, e);
    }
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        accept();
      } else {
        AcknowledgedLink link = (AcknowledgedLink) key.attachment();
        link.onReady(key);
        link.acknowledge();
      }
    } catch (IOException e) {
      log.debug("%s: a connection has ended: %s", self, e);
      key.cancel();
      ended((AcknowledgedLink) key.attachment());
    }
  }

  private void accept() throws IOException {
    SocketChannel channel = server.accept();
    if (channel != null) {
      new AcknowledgedLink(this, channel, null).register(selector);
    }
  }

  /**
   * The peer of a connection that was accepted has said who it is. Where both have dialled at once
   * each goes on over its own.
   */
  void introduced(AcknowledgedLink link, IpAddress peer) {
    links.putIfAbsent(peer, link);
  }

  private void ended(AcknowledgedLink link) {
    if (link != null) {
      link.close();
      links.values().remove(link);
    }
  }
}
