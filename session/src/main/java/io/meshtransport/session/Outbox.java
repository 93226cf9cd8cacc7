// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What is to be sent to one peer. Many threads fill it and one at a time drains it: a thread that
 * finds another one sending leaves its message to that one and goes on, so that no thread waits for
 * the system calls of another. Any thread may call it.
 */
final class Outbox {
  private final Session session;
  private final String peer;
  private final int limit;
  private final QueuePolicy policy;
  private final Runnable need;
  private final Supplier<Object> state;

  /** Messages of threads that found another one sending; the lock's owner moves them on. */
  private final Queue<Outgoing> arrivals = new ConcurrentLinkedQueue<>();

  /** Frames in arrivals and queue together, but for replies, which have no limit of their own. */
  private final AtomicInteger frames = new AtomicInteger();

  /** Slots of the pool that its messages have, in the queue and in flight. */
  private final AtomicInteger slots = new AtomicInteger();

  private final AtomicInteger replies = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong unconfirmed = new AtomicLong();

  private final ReentrantLock lock = new ReentrantLock();
  private final PlacesFreed freed = new PlacesFreed();
  private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();

  /** Null while there is no connection; guarded by the lock. */
  private Link link;

  /** Whether messages that wait may be able to leave now. */
  private volatile boolean mayGoOn;

  private volatile boolean isClosed;

  /**
   * @param need called when something waits for a connection; never blocks
   * @param state of the peer, for texts
   */
  Outbox(
      Session session, String peer, SessionOptions options, Runnable need, Supplier<Object> state) {
    this.session = session;
    this.peer = peer;
    limit = options.queueLength();
    policy = options.queuePolicy();
    this.need = need;
    this.state = state;
  }

  /** Messages that have not left. */
  int queued() {
    lock.lock();
    try {
      drainArrivals();
      return queue.size();
    } finally {
      unlock();
    }
  }

  long dropped() {
    return dropped.get();
  }

  long unconfirmed() {
    return unconfirmed.get();
  }

  int replies() {
    return replies.get();
  }

  /** Whether something has not left, or has left and is not confirmed. */
  boolean isBusy() {
    return slots.get() > 0 || frames.get() > 0 || replies.get() > 0;
  }

  /**
   * Sends a slot, which has the message with its header. The caller keeps its reference.
   *
   * @param call of a request; else null
   */
  void send(SendSlot slot, int lengthBytes, byte kind, long id, Call call, long deadlineNs)
      throws TransportException {
    requireOpen();
    if (lock.tryLock()) {
      boolean isPosted = false;
      try {
        drainArrivals();
        isPosted = queue.isEmpty() && post(slot, Frame.HEADER_BYTES + lengthBytes);
        if (isPosted && call != null) {
          call.link = link;
        }
      } finally {
        unlock();
      }
      if (isPosted) {
        return;
      }
    }
    reserve(1, deadlineNs);
    offer(outgoing(slot, lengthBytes, kind, id, call));
  }

  /** Queues a copy of a message. */
  void send(ByteBuffer message, byte kind, long id, Call call, long deadlineNs)
      throws TransportException {
    requireOpen();
    reserve(session.framesOf(message.remaining()), deadlineNs);
    offer(Outgoing.copyOf(message, kind, id, call, null));
  }

  /** Sends what only this connection may carry; never waits. */
  void send(ByteBuffer message, byte kind, long id, Link over) {
    int lengthBytes = message.remaining();
    boolean fits = lengthBytes <= session.slotCapacity();
    SendSlot slot = fits && lock.tryLock() ? tryAcquire() : null;
    if (slot != null) {
      boolean isPosted = false;
      try {
        drainArrivals();
        if (queue.isEmpty() && link == over) {
          slot.write(message, kind, id);
          isPosted = post(slot, Frame.HEADER_BYTES + lengthBytes);
        }
      } finally {
        slot.close();
        unlock();
      }
      if (isPosted) {
        return;
      }
    }
    replies.incrementAndGet();
    offer(Outgoing.copyOf(message, kind, id, null, over));
  }

  /** With the lock, which is given back if there is no slot. */
  private SendSlot tryAcquire() {
    SendSlot slot = session.pool().tryAcquire();
    if (slot == null) {
      unlock();
    }
    return slot;
  }

  /** In its slot, or copied out of it if this peer has its share of the slots already. */
  private Outgoing outgoing(SendSlot slot, int lengthBytes, byte kind, long id, Call call) {
    if (slots.get() >= session.slotShare()) {
      return Outgoing.copyOf(slot.message(lengthBytes), kind, id, call, null);
    }
    session.pool().retain(slot);
    slots.incrementAndGet();
    return Outgoing.inSlot(slot, lengthBytes, kind, id, call);
  }

  private void offer(Outgoing message) {
    arrivals.add(message);
    while (!arrivals.isEmpty() && lock.tryLock()) {
      unlock();
    }
  }

  /** Moves on what others have left here meanwhile: nobody else would. */
  private void unlock() {
    while (true) {
      try {
        if (mayGoOn || !arrivals.isEmpty()) {
          mayGoOn = false;
          drainArrivals();
          pump();
        }
      } finally {
        lock.unlock();
      }
      if (arrivals.isEmpty() && !mayGoOn || !lock.tryLock()) {
        return;
      }
    }
  }

  private void drainArrivals() {
    boolean isAny = false;
    for (Outgoing each = arrivals.poll(); each != null; each = arrivals.poll()) {
      if (isClosed || each.link != null && each.link != link) {
        discard(each, closed());
      } else if (each.call == null || !each.call.reply.isDone()) {
        queue.add(each);
        isAny = true;
      } else {
        discard(each, closed());
      }
    }
    if (isAny && link == null) {
      need.run();
    } else if (isAny) {
      mayGoOn = true;
    }
  }

  /** Waits for places in the queue, or makes them, as the policy says. An empty queue has some. */
  private void reserve(int wanted, long deadlineNs) throws TransportException {
    long seen = freed.times();
    while (!tryReserve(wanted)) {
      if (policy != QueuePolicy.DROP_OLDEST || !dropOldest()) {
        awaitPlaces(seen, deadlineNs - System.nanoTime());
      }
      requireOpen();
      seen = freed.times();
    }
  }

  private void awaitPlaces(long seen, long leftNs) throws TransportException {
    if (policy != QueuePolicy.WAIT || session.isOwnThread()) {
      throw new TransportException(Reason.BUSY, "the queue to " + full());
    }
    if (leftNs <= 0) {
      throw new TransportException(Reason.TIMED_OUT, "no place in the queue to " + full());
    }
    try {
      freed.await(seen, leftNs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransportException(
          Reason.INTERRUPTED, "the thread was interrupted while it waited for " + peer);
    }
  }

  private boolean tryReserve(int wanted) {
    while (true) {
      int now = frames.get();
      if (now > 0 && now + wanted > limit) {
        return false;
      }
      if (frames.compareAndSet(now, now + wanted)) {
        return true;
      }
    }
  }

  private String full() {
    return "%s, which has %d of %d frames; the session is %s"
        .formatted(peer, frames.get(), limit, state.get());
  }

  /** Whether there was one to drop: replies and what has left in part stay. */
  private boolean dropOldest() {
    lock.lock();
    try {
      drainArrivals();
      for (Outgoing each : queue) {
        if (each.link == null && !each.hasBegun()) {
          queue.remove(each);
          discard(
              each, new TransportException(Reason.BUSY, "dropped from the full queue to " + peer));
          return true;
        }
      }
      return false;
    } finally {
      unlock();
    }
  }

  private void discard(Outgoing message, TransportException why) {
    dequeued(message);
    if (message.slot != null) {
      slots.decrementAndGet();
      session.pool().release(message.slot);
    }
    if (message.link == null) {
      dropped.incrementAndGet();
    }
    if (message.call != null) {
      message.call.reply.completeExceptionally(why);
    }
  }

  /** Takes a message out of the account of the queue. */
  private void dequeued(Outgoing message) {
    if (message.link == null) {
      frames.addAndGet(-session.framesOf(message.lengthBytes));
    } else {
      replies.decrementAndGet();
    }
    freed.more();
  }

  /** Removes the request of a call that was given up, unless it has left. */
  void remove(Call call) {
    lock.lock();
    try {
      drainArrivals();
      removeIf(each -> each.call == call && !each.hasBegun());
    } finally {
      unlock();
    }
  }

  private void removeIf(Predicate<Outgoing> isUnwanted) {
    for (Iterator<Outgoing> each = queue.iterator(); each.hasNext(); ) {
      Outgoing message = each.next();
      if (isUnwanted.test(message)) {
        each.remove();
        discard(message, closed());
      }
    }
  }

  /** Sends what can be sent now. With the lock. */
  private void pump() {
    while (link != null && !queue.isEmpty() && link.canSend()) {
      Outgoing first = queue.peek();
      boolean isPosted = first.slot != null ? postSlot(first) : postCopy(first);
      if (!isPosted) {
        return;
      }
      if (first.isSent()) {
        queue.remove();
        dequeued(first);
        if (first.call != null) {
          first.call.link = link;
        }
      }
    }
  }

  /** Posts a slot's frame at once; the link then has a reference of its own. */
  private boolean post(SendSlot slot, int frameBytes) {
    if (link == null || !link.canSend() || slots.get() >= session.slotShare()) {
      return false;
    }
    session.pool().retain(slot);
    slots.incrementAndGet();
    boolean isPosted = link.isend(session.pool(), slot, frameBytes);
    if (!isPosted) {
      slots.decrementAndGet();
      session.pool().release(slot);
    }
    return isPosted;
  }

  private boolean postSlot(Outgoing message) {
    boolean isPosted =
        link.isend(session.pool(), message.slot, Frame.HEADER_BYTES + message.lengthBytes);
    if (isPosted) {
      message.sent();
    }
    return isPosted;
  }

  private boolean postCopy(Outgoing message) {
    SendSlot slot = slots.get() >= session.slotShare() ? null : session.pool().tryAcquire();
    if (slot == null) {
      session.thread().awaitSlots();
      return false;
    }
    int frameBytes = message.writeFrame(slot.frame());
    slots.incrementAndGet();
    if (!link.isend(session.pool(), slot, frameBytes)) {
      slots.decrementAndGet();
      session.pool().release(slot);
      return false;
    }
    message.frameSent(frameBytes);
    return true;
  }

  /** Slots may be free again: sends more. */
  void resume() {
    if (frames.get() > 0 || replies.get() > 0) {
      mayGoOn = true;
      if (lock.tryLock()) {
        unlock();
      }
    }
  }

  /** A send of a link has ended, as it should or not. */
  void sendEnded(Link of, SendSlot slot, boolean isDelivered) {
    of.sendEnded();
    slots.decrementAndGet();
    session.pool().release(slot);
    if (!isDelivered) {
      unconfirmed.incrementAndGet();
    }
    resume();
  }

  /**
   * Messages go over this link from now on.
   *
   * @param isAccepted whether the peer waits for a WELCOME, which is the first
   */
  void attach(Link opened, boolean isAccepted) {
    lock.lock();
    try {
      link = opened;
      opened.isWelcome = true;
      if (isAccepted) {
        replies.incrementAndGet();
        queue.addFirst(Outgoing.copyOf(ByteBuffer.allocate(0), Frame.WELCOME, 0, null, opened));
      }
      mayGoOn = true;
    } finally {
      unlock();
    }
  }

  /**
   * The link is gone. What has not left stays for the next one, but for what only this one may
   * carry.
   *
   * @return whether something waits for the next one
   */
  boolean detach(Link gone) {
    lock.lock();
    try {
      gone.isWelcome = false;
      if (link == gone) {
        link = null;
        drainArrivals();
        removeIf(each -> each.link == gone);
        queue.forEach(Outgoing::restart);
      }
      return !queue.isEmpty();
    } finally {
      unlock();
    }
  }

  /** Drops everything, and accepts nothing more. */
  void close() {
    lock.lock();
    try {
      isClosed = true;
      if (link != null) {
        link.isWelcome = false;
        link = null;
      }
      drainArrivals();
      removeIf(each -> true);
      freed.more();
    } finally {
      unlock();
    }
  }

  private void requireOpen() throws TransportException {
    if (isClosed) {
      throw closed();
    }
  }

  private TransportException closed() {
    return new TransportException(Reason.CLOSED, "the session with " + peer + " is closed");
  }
}
