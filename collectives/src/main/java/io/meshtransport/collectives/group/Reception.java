// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One member's listener, and the connections that came for the groups that it joins: the first one,
 * and those that are made of it. Any thread. Closed by the last of its groups.
 */
final class Reception {
  /** Connections for groups that this member does not join yet; a flood beyond is refused. */
  private static final int MAX_WAITING = 256;

  private final Transport transport;
  private final Roster roster;
  private final Listener listener;
  private final NicListener cables;
  private final Map<GroupHello.Opener, Arrival> waiting = new HashMap<>();
  private final ExecutorService closer = closer();
  private int users = 1;

  /** A connection that a member has opened for a group. */
  record Arrival(GroupHello hello, Connection connection) {}

  private Reception(Transport transport, Roster roster, ConnectOptions options)
      throws TransportException {
    this.transport = transport;
    this.roster = roster;
    listener = transport.listen(options);
    cables = now -> publish();
  }

  /**
   * Listens, and publishes the handle, again whenever this node's addresses change. Where it
   * throws, nothing is left of it.
   *
   * @param options unlisted, so that what looks the node up finds the program's listener
   */
  static Reception open(Transport transport, Roster roster, ConnectOptions options)
      throws TransportException {
    Reception reception = new Reception(transport, roster, options);
    try {
      reception.accept();
      transport.addNicListener(reception.cables);
      reception.publish();
      return reception;
    } catch (RuntimeException | Error e) {
      try {
        reception.release();
      } catch (RuntimeException also) {
        e.addSuppressed(also);
      }
      throw e;
    }
  }

  /** A handle that is published after closing would be that of a member that is not there. */
  private synchronized void publish() {
    if (users > 0) {
      roster.publish(listener.handle());
    }
  }

  /** One thread, until a second after its last work; beyond its queue, connections are not met. */
  private static ExecutorService closer() {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING),
            task -> {
              Thread made = new Thread(task, "collectives-close");
              made.setDaemon(true);
              return made;
            },
            new ThreadPoolExecutor.CallerRunsPolicy());
    one.allowCoreThreadTimeOut(true);
    return one;
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

  Roster roster() {
    return roster;
  }

  /** The mesh by which the members find each other, if they do. */
  Optional<MeshRendezvous> mesh() {
    return roster.mesh();
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

  /** A connection replaces the one before, unless it is of an earlier attempt that arrives late. */
  private void arrived(Connection connection) {
    Optional<GroupHello> hello = GroupHello.decode(connection.hello());
    Connection refused = connection;
    synchronized (this) {
      if (hello.isPresent() && users > 0 && waiting() < MAX_WAITING) {
        refused = replaced(new Arrival(hello.get(), connection));
      }
    }
    if (refused != null) {
      refuse(refused);
    }
  }

  /** Keeps it, or the one before; the other, or null if there is none. With the monitor. */
  private Connection replaced(Arrival arrival) {
    Arrival before = waiting.put(arrival.hello().opener(), arrival);
    if (before == null) {
      return null;
    }
    if (arrival.hello().isEarlierThan(before.hello())) {
      waiting.put(before.hello().opener(), before);
      return arrival.connection();
    }
    return before.connection();
  }

  /** Closes it later, as that waits for the peer, and the transport's threads must not. */
  void refuse(Connection connection) {
    closer.execute(connection::close);
  }

  /**
   * The connection that a member has opened for a group, if it is there and the member has not
   * given it up since; the caller's from now.
   */
  synchronized Optional<Arrival> take(GroupHello.Opener opener) {
    Optional<Arrival> taken = Optional.ofNullable(waiting.remove(opener));
    if (taken.isPresent() && !isLive(taken.get().connection())) {
      refuse(taken.get().connection());
      return Optional.empty();
    }
    return taken;
  }

  /** How many connections wait to be taken; closes those whose members have given them up. */
  synchronized int waiting() {
    for (Iterator<Arrival> all = waiting.values().iterator(); all.hasNext(); ) {
      Connection connection = all.next().connection();
      if (!isLive(connection)) {
        all.remove();
        refuse(connection);
      }
    }
    return waiting.size();
  }

  /** Nobody else polls it yet, and without that it does not learn what its peer has done. */
  private static boolean isLive(Connection connection) {
    connection.awaitProgress(connection.progressCount(), Duration.ZERO);
    return connection.state() == ChannelState.READY;
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
    List<Arrival> left;
    synchronized (this) {
      if (--users > 0) {
        return;
      }
      left = List.copyOf(waiting.values());
      waiting.clear();
    }
    transport.removeNicListener(cables);
    listener.close();
    for (Arrival each : left) {
      each.connection().close();
    }
    roster.leave();
  }
}
