// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Accepts wait for channels, or channels for accepts, and so do connections. Guarded by itself. */
final class InMemoryListener implements Listener {
  private final InMemoryTransport owner;
  private final long port;
  private final ConnectOptions options;
  private final Queue<ChannelFuture<ReceiveChannel>> accepts = new ArrayDeque<>();
  private final Queue<InMemoryEnd> channels = new ArrayDeque<>();
  private final Queue<ChannelFuture<Connection>> connectionAccepts = new ArrayDeque<>();
  private final Queue<InMemoryEnd> connections = new ArrayDeque<>();
  private boolean closed;

  InMemoryListener(InMemoryTransport owner, long port, ConnectOptions options) {
    this.owner = owner;
    this.port = port;
    this.options = options;
  }

  InMemoryTransport owner() {
    return owner;
  }

  long port() {
    return port;
  }

  ConnectOptions options() {
    return options;
  }

  synchronized void offer(InMemoryEnd channel) {
    if (closed) {
      channel.close();
      return;
    }
    owner.remember(channel);
    while (!accepts.isEmpty()) {
      if (accepts.remove().complete(channel)) {
        return;
      }
    }
    channels.add(channel);
  }

  void offerConnection(InMemoryEnd connection) {
    owner.remember(connection);
    ChannelFuture<Connection> accept = acceptOrQueue(connection);
    // Outside of the monitor: its dependents run now. One that was cancelled accepts nothing.
    while (accept != null && !accept.complete(connection)) {
      accept = acceptOrQueue(connection);
    }
  }

  private synchronized ChannelFuture<Connection> acceptOrQueue(InMemoryEnd connection) {
    if (closed) {
      connection.close();
      return null;
    }
    if (connectionAccepts.isEmpty()) {
      connections.add(connection);
    }
    return connectionAccepts.poll();
  }

  @Override
  public byte[] handle() {
    return InMemoryHandle.encode(port);
  }

  @Override
  public synchronized ChannelFuture<ReceiveChannel> accept() {
    ChannelFuture<ReceiveChannel> accept = new ChannelFuture<>();
    if (closed) {
      accept.completeExceptionally(closedFailure());
    } else if (channels.isEmpty()) {
      accepts.add(accept);
    } else {
      accept.complete(channels.remove());
    }
    return accept;
  }

  @Override
  public synchronized ChannelFuture<Connection> acceptConnection() {
    ChannelFuture<Connection> accept = new ChannelFuture<>();
    if (closed) {
      accept.completeExceptionally(closedFailure());
    } else if (connections.isEmpty()) {
      connectionAccepts.add(accept);
    } else {
      accept.complete(connections.remove());
    }
    return accept;
  }

  private static TransportException closedFailure() {
    return new TransportException(Reason.CLOSED, "the listener is closed");
  }

  @Override
  public void close() {
    List<ChannelFuture<?>> pending;
    synchronized (this) {
      closed = true;
      owner.remove(this);
      channels.forEach(InMemoryEnd::close);
      connections.forEach(InMemoryEnd::close);
      pending = new ArrayList<>(accepts);
      pending.addAll(connectionAccepts);
      accepts.clear();
      channels.clear();
      connections.clear();
      connectionAccepts.clear();
    }
    pending.forEach(accept -> accept.completeExceptionally(closedFailure()));
  }
}
