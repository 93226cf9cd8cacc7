// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One member's listener, and the connections that came for the groups that it joins: the first one,
 * and those that are made of it. Any thread. Closed by the last of its groups.
 */
final class Reception {
  /** Connections for groups that this member does not join yet; a flood beyond is refused. */
  private static final int MAX_WAITING = 256;

  private final Transport transport;
  private final Rendezvous rendezvous;
  private final String member;
  private final Listener listener;
  private final NicListener cables;
  private final Map<GroupHello, Connection> waiting = new HashMap<>();
  private int users = 1;

  private Reception(
      Transport transport, Rendezvous rendezvous, String member, ConnectOptions options)
      throws TransportException {
    this.transport = transport;
    this.rendezvous = rendezvous;
    this.member = member;
    listener = transport.listen(options);
    cables = now -> rendezvous.publish(member, listener.handle());
  }

  /** Listens, and publishes the handle, again whenever this node's addresses change. */
  static Reception open(
      Transport transport, Rendezvous rendezvous, String member, ConnectOptions options)
      throws TransportException {
    Reception reception = new Reception(transport, rendezvous, member, options);
    reception.accept();
    transport.addNicListener(reception.cables);
    rendezvous.publish(member, reception.listener.handle());
    return reception;
  }

  Transport transport() {
    return transport;
  }

  /** Of this node, with their prefix lengths. */
  List<String> addresses() {
    return transport.nics().stream()
        .filter(each -> each.hasCarrier() && !each.netdev().equals(Overlay.NIC))
        .flatMap(each -> each.addresses().stream())
        .toList();
  }

  /** Whether connections may go over relays. */
  boolean hasOverlay() {
    return transport.nics().stream().anyMatch(each -> each.netdev().equals(Overlay.NIC));
  }

  Rendezvous rendezvous() {
    return rendezvous;
  }

  String member() {
    return member;
  }

  private void accept() {
    listener
        .acceptConnection()
        .whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                arrived(connection);
                if (!isClosed()) {
                  accept();
                }
              }
            });
  }

  /** A member that connects again replaces its earlier attempt. */
  private void arrived(Connection connection) {
    Optional<GroupHello> hello = GroupHello.decode(connection.hello());
    Connection refused = connection;
    synchronized (this) {
      if (hello.isPresent() && users > 0 && waiting.size() < MAX_WAITING) {
        refused = waiting.put(hello.get(), connection);
        notifyAll();
      }
    }
    if (refused != null) {
      closeLater(refused);
    }
  }

  /** As closing waits for the peer, and the transport's threads must not. */
  private static void closeLater(Connection connection) {
    Thread closer = new Thread(connection::close, "collectives-refusal");
    closer.setDaemon(true);
    closer.start();
  }

  /** The connection that a member has opened for a group, if it is there; the caller's from now. */
  synchronized Optional<Connection> take(GroupHello hello) {
    return Optional.ofNullable(waiting.remove(hello));
  }

  /** One group more uses it. */
  synchronized void retain() {
    users++;
  }

  private synchronized boolean isClosed() {
    return users == 0;
  }

  /** One group less uses it; the last closes it. */
  void release() {
    Connection[] left;
    synchronized (this) {
      if (--users > 0) {
        return;
      }
      left = waiting.values().toArray(new Connection[0]);
      waiting.clear();
    }
    transport.removeNicListener(cables);
    listener.close();
    for (Connection each : left) {
      each.close();
    }
    if (rendezvous instanceof AutoCloseable source) {
      try {
        source.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
