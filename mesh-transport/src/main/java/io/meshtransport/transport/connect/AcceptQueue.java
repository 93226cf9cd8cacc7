// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.MeshChannel;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;

/**
 * Two queues of one listener, of which at most one has entries: channels that wait to be accepted,
 * and accepts that wait for a channel. Guarded by the listener.
 *
 * @param <C> what is accepted: one-way channels, or connections
 */
final class AcceptQueue<C extends ReceiveChannel> {
  private final Queue<C> waiting = new ArrayDeque<>();
  private final Queue<ChannelPromise<C>> pending = new ArrayDeque<>();

  /** Gives a promise the channel that has waited longest, if any, or a place behind the others. */
  C accept(ChannelPromise<C> promise) {
    C first = waiting.poll();
    if (first == null) {
      pending.add(promise);
    } else {
      promise.complete(first);
    }
    return first;
  }

  /**
   * Completes the oldest pending accept with a ready channel, or queues the channel.
   *
   * @return whether it waits
   */
  boolean deliver(C channel) {
    for (ChannelPromise<C> oldest = pending.poll(); oldest != null; oldest = pending.poll()) {
      if (oldest.complete(channel)) {
        return false;
      }
    }
    waiting.add(channel);
    return true;
  }

  /** Removes accepts that callers have given up. */
  void removeGivenUp() {
    pending.removeIf(ChannelPromise::isDone);
  }

  /** Removes a channel that waits; returns false if it does not wait any more. */
  boolean remove(MeshChannel channel) {
    return waiting.remove(channel);
  }

  /** Copies the channels that wait. */
  void copyTo(Collection<MeshChannel> all) {
    waiting.forEach(channel -> all.add((MeshChannel) channel));
  }

  int waiting() {
    return waiting.size();
  }

  int pending() {
    return pending.size();
  }

  /** Fails every accept; returns the channels that waited, which are the caller's to close. */
  List<C> end(TransportException why) {
    List<C> unclaimed = List.copyOf(waiting);
    waiting.clear();
    pending.forEach(promise -> promise.fail(why));
    pending.clear();
    return unclaimed;
  }
}
