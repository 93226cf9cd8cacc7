// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.RefusedException;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.MeshChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One listener: one-way channels and connections that wait to be accepted, and accepts that wait
 * for either. Any thread may call it.
 */
public final class MeshListener implements Listener {
  /** Channels that may wait to be accepted, each with a queue pair; further peers are refused. */
  static final int MAX_WAITING = 1024;

  /**
   * Of these, channels of C plugins. That wire has no proof of identity, so any host that reaches
   * the port can make them: they must not fill the queue for our own peers, nor, by waiting for
   * ever, that for other C plugins.
   */
  public static final int MAX_WAITING_UNPROVED = 32;

  /** How often channels that wait are checked, in milliseconds, while there are any. */
  private static final int CHECK_MS = 1000;

  private final String node;
  private final int id;
  private final Supplier<byte[]> handle;
  private final Executor executor;
  private final Consumer<MeshListener> onClose;
  private final ConnectOptions options;
  private final AcceptQueue<ReceiveChannel> channels = new AcceptQueue<>();
  private final AcceptQueue<Connection> connections = new AcceptQueue<>();

  /** Those that wait whose peer has not proved who it is, the oldest first. */
  private final Set<MeshChannel> unproved = new LinkedHashSet<>();

  private boolean isCheckDue;
  private boolean closed;

  /**
   * @param node brief name of this node
   * @param options for connections
   * @param handle what peers connect to now; a fresh array each time
   * @param executor checks and closes channels that wait
   * @param onClose called once, when it accepts no more channels
   */
  public MeshListener(
      String node,
      int id,
      ConnectOptions options,
      Supplier<byte[]> handle,
      Executor executor,
      Consumer<MeshListener> onClose) {
    this.node = node;
    this.id = id;
    this.options = options;
    this.handle = handle;
    this.executor = executor;
    this.onClose = onClose;
  }

  int id() {
    return id;
  }

  @Override
  public byte[] handle() {
    return handle.get();
  }

  /** What this end wants of the connections that it accepts. */
  ConnectOptions options() {
    return options;
  }

  @Override
  public synchronized ChannelFuture<ReceiveChannel> accept() {
    if (closed) {
      return closedFuture();
    }
    // An accept that was given up stays in the queue until a channel meets it and goes on.
    ChannelPromise<ReceiveChannel> promise = new ChannelPromise<>("accepting", this::dropGivenUp);
    unproved.remove(channels.accept(promise));
    return PromisedFuture.of(promise, ReceiveChannel.class, executor);
  }

  @Override
  public ChannelFuture<Connection> acceptConnection() {
    ChannelPromise<Connection> promise =
        new ChannelPromise<>("accepting a connection", this::dropGivenUp);
    synchronized (this) {
      if (closed) {
        return closedFuture();
      }
      connections.accept(promise);
    }
    return PromisedFuture.of(promise, Connection.class, executor);
  }

  private static <C extends Channel> ChannelFuture<C> closedFuture() {
    ChannelFuture<C> accept = new ChannelFuture<>();
    accept.completeExceptionally(new TransportException(Reason.CLOSED, "this listener is closed"));
    return accept;
  }

  /** Its number, and who waits for whom. */
  @Override
  public synchronized String toString() {
    return "Listener "
        + id
        + " of node "
        + node
        + ": "
        + (closed
            ? "closed"
            : waiting()
                + " channels not accepted yet, "
                + (channels.pending() + connections.pending())
                + " calls of accept without a channel");
  }

  private synchronized void dropGivenUp() {
    channels.removeGivenUp();
    connections.removeGivenUp();
  }

  /** Refuses a peer while the queue of channels to be accepted is full. */
  public synchronized void requireSpace() throws RefusedException {
    if (waiting() >= MAX_WAITING) {
      throw RefusedException.busy(
          MAX_WAITING + " channels wait to be accepted already by the program there");
    }
  }

  /**
   * Completes the oldest pending accept with a ready channel, or queues the channel.
   *
   * @return false if the listener is closed; the channel stays the caller's
   */
  public synchronized <C extends MeshChannel & ReceiveChannel> boolean deliver(C channel) {
    if (closed) {
      return false;
    }
    boolean isWaiting =
        channel instanceof Connection connection
            ? connections.deliver(connection)
            : channels.deliver(channel);
    if (isWaiting) {
      checkSoon();
    }
    return true;
  }

  /**
   * As {@link #deliver}, for a wire on which peers do not prove who they are: of those that wait
   * the oldest is closed where there are too many.
   */
  public synchronized <C extends MeshChannel & ReceiveChannel> boolean deliverUnproved(C channel) {
    int waitingBefore = waiting();
    if (!deliver(channel)) {
      return false;
    }
    if (waiting() > waitingBefore) {
      unproved.add(channel);
    }
    if (unproved.size() > MAX_WAITING_UNPROVED) {
      MeshChannel oldest = unproved.iterator().next();
      unproved.remove(oldest);
      channels.remove(oldest);
      oldest.abandon();
    }
    return true;
  }

  /** Nothing is pending on channels that wait, so nothing else finds out that a peer has gone. */
  private void checkSoon() {
    if (!isCheckDue && !closed && waiting() > 0) {
      isCheckDue = true;
      CompletableFuture.delayedExecutor(CHECK_MS, TimeUnit.MILLISECONDS, executor)
          .execute(this::dropUnusable);
    }
  }

  private void dropUnusable() {
    List<MeshChannel> unaccepted = new ArrayList<>();
    synchronized (this) {
      isCheckDue = false;
      channels.copyTo(unaccepted);
      connections.copyTo(unaccepted);
    }
    try {
      for (MeshChannel unclaimed : unaccepted) {
        if (!unclaimed.isUsable() && withdraw(unclaimed)) {
          unclaimed.abandon();
        }
      }
    } finally {
      synchronized (this) {
        checkSoon();
      }
    }
  }

  private synchronized boolean withdraw(MeshChannel channel) {
    unproved.remove(channel);
    return channels.remove(channel) || connections.remove(channel);
  }

  /** Channels that wait to be accepted. */
  public synchronized int waiting() {
    return channels.waiting() + connections.waiting();
  }

  @Override
  public void close() {
    List<MeshChannel> unclaimed = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      unproved.clear();
      TransportException why =
          new TransportException(Reason.CLOSED, "accepting: the listener was closed.");
      channels.end(why).forEach(channel -> unclaimed.add((MeshChannel) channel));
      connections.end(why).forEach(connection -> unclaimed.add((MeshChannel) connection));
    }
    onClose.accept(this);
    MeshChannel.closeAll(unclaimed);
  }
}
