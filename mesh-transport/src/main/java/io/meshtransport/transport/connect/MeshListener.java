// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.RefusedException;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.MeshChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One listener with two queues, of which at most one has entries: channels that wait to be
 * accepted, and accepts that wait for a channel. Any thread may call it.
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

  /** How often channels that wait are looked at, in milliseconds, while there are any. */
  private static final int LOOK_MS = 1000;

  private final String node;
  private final int id;
  private final Supplier<byte[]> handle;
  private final Executor executor;
  private final Consumer<MeshListener> onClose;
  private final Queue<ReceiveChannel> waiting = new ArrayDeque<>();

  /** Those of {@link #waiting} whose peer has not proved who it is, the oldest first. */
  private final Set<MeshChannel> unproved = new LinkedHashSet<>();

  private final Queue<ChannelPromise<ReceiveChannel>> asking = new ArrayDeque<>();
  private boolean lookDue;
  private boolean closed;

  /**
   * @param node brief name of this node
   * @param handle what peers connect to now; a fresh array each time
   * @param executor checks and closes channels that wait
   * @param onClose called once, when it accepts no more channels
   */
  public MeshListener(
      String node,
      int id,
      Supplier<byte[]> handle,
      Executor executor,
      Consumer<MeshListener> onClose) {
    this.node = node;
    this.id = id;
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

  @Override
  public synchronized ChannelFuture<ReceiveChannel> accept() {
    if (closed) {
      throw new IllegalStateException("this listener is closed");
    }
    // An asker that gave up stays in line until a channel finds it so and goes on to the next.
    ChannelPromise<ReceiveChannel> opening = new ChannelPromise<>("accepting", this::dropGivenUp);
    ReceiveChannel first = waiting.poll();
    unproved.remove(first);
    if (first == null) {
      asking.add(opening);
    } else {
      opening.complete(first);
    }
    return opening;
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
            : waiting.size()
                + " channels not accepted yet, "
                + asking.size()
                + " calls of accept without a channel");
  }

  private synchronized void dropGivenUp() {
    asking.removeIf(ChannelPromise::isDone);
  }

  /** Refuses a peer while the queue of channels to be accepted is full. */
  public synchronized void requireRoom() throws RefusedException {
    if (waiting.size() >= MAX_WAITING) {
      throw new RefusedException(MAX_WAITING + " channels wait to be accepted already");
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
    for (ChannelPromise<ReceiveChannel> asker = asking.poll();
        asker != null;
        asker = asking.poll()) {
      if (asker.complete(channel)) {
        return true;
      }
    }
    waiting.add(channel);
    lookSoon();
    return true;
  }

  /**
   * As {@link #deliver}, for a wire on which peers do not prove who they are: of those that wait
   * the oldest is closed where there are too many.
   */
  public synchronized <C extends MeshChannel & ReceiveChannel> boolean deliverUnproved(C channel) {
    int waitingBefore = waiting.size();
    if (!deliver(channel)) {
      return false;
    }
    if (waiting.size() > waitingBefore) {
      unproved.add(channel);
    }
    if (unproved.size() > MAX_WAITING_UNPROVED) {
      MeshChannel oldest = unproved.iterator().next();
      unproved.remove(oldest);
      waiting.remove(oldest);
      oldest.abandon();
    }
    return true;
  }

  /** Nothing is pending on channels that wait, so nothing else finds out that a peer has gone. */
  private void lookSoon() {
    if (!lookDue && !closed && !waiting.isEmpty()) {
      lookDue = true;
      CompletableFuture.delayedExecutor(LOOK_MS, TimeUnit.MILLISECONDS, executor)
          .execute(this::dropUnusable);
    }
  }

  private void dropUnusable() {
    List<ReceiveChannel> looked;
    synchronized (this) {
      lookDue = false;
      looked = List.copyOf(waiting);
    }
    try {
      for (ReceiveChannel channel : looked) {
        MeshChannel unclaimed = (MeshChannel) channel;
        if (!unclaimed.isUsable() && withdraw(channel)) {
          unclaimed.abandon();
        }
      }
    } finally {
      synchronized (this) {
        lookSoon();
      }
    }
  }

  private synchronized boolean withdraw(ReceiveChannel channel) {
    unproved.remove(channel);
    return waiting.remove(channel);
  }

  /** Channels that wait to be accepted. */
  public synchronized int waiting() {
    return waiting.size();
  }

  @Override
  public void close() {
    List<MeshChannel> unclaimed = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      waiting.forEach(channel -> unclaimed.add((MeshChannel) channel));
      waiting.clear();
      unproved.clear();
      TransportException why =
          new TransportException(Reason.CLOSED, "accepting: the listener was closed.");
      asking.forEach(asker -> asker.fail(why));
      asking.clear();
    }
    onClose.accept(this);
    MeshChannel.closeAll(unclaimed);
  }
}
