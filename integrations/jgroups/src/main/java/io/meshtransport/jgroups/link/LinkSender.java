// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.net.SocketException;

/**
 * The senders' side of an outbound link: posts a buffer on the open channel, queues it while a
 * channel is being opened, or waits until the peer consumes. Any thread may send.
 */
final class LinkSender {
  private final LinkCore core;
  private final LinkWorker worker;
  private final Links links;
  private final String peer;
  private final long sendTimeoutNs;

  /**
   * @param peer by its id
   */
  LinkSender(LinkCore core, LinkWorker worker, Links links, String peer, long sendTimeoutNs) {
    this.core = core;
    this.worker = worker;
    this.links = links;
    this.peer = peer;
    this.sendTimeoutNs = sendTimeoutNs;
  }

  /** As {@link OutboundLink#trySend}. */
  boolean trySend(int buffer, int lengthBytes) throws SocketException {
    core.lock();
    try {
      return post(buffer, lengthBytes);
    } finally {
      core.unlock();
    }
  }

  /** As {@link OutboundLink#send}. */
  void send(int buffer, int lengthBytes, long deadlineNs)
      throws SocketException, InterruptedException {
    while (true) {
      LinkChannel driven = null;
      long seen = 0;
      core.lock();
      try {
        if (post(buffer, lengthBytes)) {
          return;
        }
        long leftNs = deadlineNs - System.nanoTime();
        if (leftNs <= 0) {
          core.setStalled(true);
          links.countStall();
          throw Refusals.stalled(links.nameOf(peer), sendTimeoutNs);
        }
        if (core.state() == LinkState.OPEN && !core.driver().isHeld()) {
          driven = core.channel();
          seen = driven.progressCount();
          core.reap();
          core.driver().acquire();
        } else {
          core.driver().await(Math.min(leftNs, LinkCore.TICK_NS));
        }
      } finally {
        core.unlock();
      }
      if (driven != null) {
        core.drive(driven, seen, Math.min(deadlineNs - System.nanoTime(), LinkCore.TICK_NS));
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
  }

  private boolean post(int buffer, int lengthBytes) throws SocketException {
    LinkState state = core.state();
    if (state == LinkState.CLOSED) {
      throw new SocketException("the link is closed");
    }
    if (state.isDown()) {
      long nowNs = System.nanoTime();
      core.pause().messageRefused(nowNs);
      if (state == LinkState.FAILED || !core.pause().isOver(nowNs)) {
        throw Refusals.of(core.failure());
      }
    }
    return state != LinkState.OPEN || !core.backlog().isEmpty()
        ? enqueue(buffer, lengthBytes)
        : isend(buffer, lengthBytes);
  }

  private boolean enqueue(int buffer, int lengthBytes) throws SocketException {
    if (core.backlog().size() >= links.share()) {
      return full();
    }
    core.requests().add(LinkRequest.CONNECT);
    try {
      worker.wake();
    } catch (OutOfMemoryError e) {
      throw Refusals.withoutThread(links.nameOf(peer), e);
    }
    core.backlog().add(buffer, lengthBytes);
    return true;
  }

  private boolean isend(int buffer, int lengthBytes) throws SocketException {
    LinkChannel channel = core.channel();
    InFlightSends bundles = channel.bundles();
    int share = links.share();
    // Testing requests costs a system call in software, and a probe where sends are unsignalled: so
    // they are tested only when buffers are needed, and before all of them are in flight.
    if (bundles.count() * 2 >= share) {
      core.reap();
    }
    if (core.state() != LinkState.OPEN) {
      throw Refusals.of(core.failure());
    }
    if (bundles.count() >= share) {
      return full();
    }
    if (!bundles.post(buffer, lengthBytes)) {
      if (bundles.failure().isPresent()) {
        core.fail(bundles.failure().get());
        throw Refusals.of(core.failure());
      }
      return full();
    }
    core.setStalled(false);
    if (channel.needsProgress() && !core.driver().isHeld()) {
      core.work().signal();
    }
    return true;
  }

  private boolean full() throws SocketException {
    if (core.isStalled()) {
      throw Refusals.stillStalled(links.nameOf(peer));
    }
    return false;
  }
}
