// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What is to be sent to one peer. Many threads fill it and one at a time drains it: a thread that
 * finds another one sending leaves its message to that one and goes on, so that no thread waits for
 * the system calls of another. {@link QueuePlaces} says how much may wait, {@link OutgoingQueue}
 * what leaves next, {@link SlotShare} how much is in slots. Any thread may call it.
 */
final class Outbox {
  private final Session session;
  private final String peer;
  private final QueuePolicy policy;
  private final Runnable need;

  /** Messages of threads that found another one sending; the lock's owner moves them on. */
  private final Queue<Outgoing> arrivals = new ConcurrentLinkedQueue<>();

  /** Of what is in arrivals and queue together. */
  private final QueuePlaces places;

  private final SlotShare slots;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong unconfirmed = new AtomicLong();

  private final ReentrantLock lock = new ReentrantLock();

  /** With the lock. */
  private final OutgoingQueue queue;

  /** Calls that were dropped from the queue: their futures end once the lock is given back. */
  private List<Runnable> ended = List.of();

  /** Null while there is no connection; changed with the lock. */
  private volatile Link link;

  /** Whether messages that wait may be able to leave now. */
  private volatile boolean mayGoOn;

  /** Why nothing more is accepted; null while something is. */
  private volatile TransportException closed;

  /**
   * @param need called when something waits for a connection; never blocks
   * @param state of the peer, for texts
   */
  Outbox(
      Session session, String peer, SessionOptions options, Runnable need, Supplier<Object> state) {
    this.session = session;
    this.peer = peer;
    policy = options.queuePolicy();
    this.need = need;
    slots = new SlotShare(session.pool(), session::slotShare);
    queue = new OutgoingQueue(slots);
    places =
        new QueuePlaces(
            peer, options.queueLength(), this::mayWaitForPlaces, () -> link != null, state);
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
    return places.replies();
  }

  /** Bytes of the replies that have not left. */
  long replyBytes() {
    return places.replyBytes();
  }

  /** Whether something has not left, or has left and is not confirmed. */
  boolean isBusy() {
    return !slots.isUnused() || places.isAnyTaken();
  }

  /**
   * Sends a slot, which has the message with its header. The caller keeps its reference.
   *
   * @param call of a request; else null
   */
  void send(SendSlot slot, int lengthBytes, byte kind, long id, Call call, long deadlineNs)
      throws TransportException {
    requireOpen();
    if (!postAtOnce(slot, lengthBytes, call)) {
      reserve(1, deadlineNs);
      offer(outgoing(slot, lengthBytes, kind, id, call));
    }
  }

  /** Whether no message waits, no other thread is sending, and the link can send now. */
  private boolean postAtOnce(SendSlot slot, int lengthBytes, Call call) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      drainArrivals();
      boolean isPosted =
          queue.isEmpty() && post(slot, Frame.HEADER_BYTES + lengthBytes, mayWait(call));
      if (isPosted && call != null) {
        call.link = link;
      }
      return isPosted;
    } finally {
      unlock();
    }
  }

  /** As {@link #send} of a message, if there is a place in the queue now. */
  boolean trySend(SendSlot slot, int lengthBytes) throws TransportException {
    requireOpen();
    if (postAtOnce(slot, lengthBytes, null)) {
      return true;
    }
    boolean isReserved = places.tryReserve(1);
    if (isReserved) {
      offer(outgoing(slot, lengthBytes, Frame.MESSAGE, 0, null));
    }
    return isReserved;
  }

  /** Queues a copy of a message. */
  void send(ByteBuffer message, byte kind, long id, Call call, long deadlineNs)
      throws TransportException {
    requireOpen();
    reserve(session.framesOf(message.remaining()), deadlineNs);
    offer(Outgoing.copyOf(message, kind, id, call, null));
  }

  /** Says on a link that is about to be closed why, if there is a slot for it; never waits. */
  void sendRefusal(Link over, ByteBuffer why) {
    SendSlot slot = slots.pool().tryAcquire();
    if (slot == null) {
      return;
    }
    lock.lock();
    try {
      slot.write(why, Frame.REFUSAL, 0);
      slots.retain(slot);
      if (!over.isend(slots.pool(), slot, Frame.HEADER_BYTES + why.remaining(), false)) {
        slots.release(slot);
      }
    } finally {
      slot.close();
      unlock();
    }
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
          isPosted = post(slot, Frame.HEADER_BYTES + lengthBytes, false);
        }
      } finally {
        slot.close();
        unlock();
      }
      if (isPosted) {
        places.exchangeLeft(kind);
        return;
      }
    }
    places.addReply(lengthBytes);
    offer(Outgoing.copyOf(message, kind, id, null, over));
  }

  /**
   * Sends over the connection that there is now; never waits.
   *
   * @return false if there is none, or too many of these have not left
   */
  boolean exchange(ByteBuffer message) {
    Link now = link;
    if (now == null || !places.tryAddExchange()) {
      return false;
    }
    send(message, Frame.NODES, 0, now);
    return true;
  }

  boolean isAttached() {
    return link != null;
  }

  /** Drops what may go over any connection and has not begun to leave; answers how many. */
  int dropQueued() {
    lock.lock();
    try {
      drainArrivals();
      int before = queue.size();
      removeIf(Outbox::isDroppable);
      return before - queue.size();
    } finally {
      unlock();
    }
  }

  /** With the lock, which is given back if there is no slot. */
  private SendSlot tryAcquire() {
    SendSlot slot = slots.pool().tryAcquire();
    if (slot == null) {
      unlock();
    }
    return slot;
  }

  /** In its slot, or copied out of it if it would have to wait there for long. */
  private Outgoing outgoing(SendSlot slot, int lengthBytes, byte kind, long id, Call call) {
    if (link == null || slots.isUsedUp()) {
      return Outgoing.copyOf(slot.message(lengthBytes), kind, id, call, null);
    }
    slots.retain(slot);
    return Outgoing.inSlot(slot, lengthBytes, kind, id, call);
  }

  private void offer(Outgoing message) {
    arrivals.add(message);
    while (!arrivals.isEmpty() && lock.tryLock()) {
      unlock();
    }
  }

  /** Moves on what others have left here meanwhile, as they have returned since. */
  private void unlock() {
    while (true) {
      List<Runnable> endings;
      try {
        if (mayGoOn || !arrivals.isEmpty()) {
          mayGoOn = false;
          drainArrivals();
          pump();
        }
      } finally {
        endings = ended;
        ended = List.of();
        lock.unlock();
      }
      // Without the lock: what depends on a future is the program's code.
      endings.forEach(Runnable::run);
      if (arrivals.isEmpty() && !mayGoOn || !lock.tryLock()) {
        return;
      }
    }
  }

  private void drainArrivals() {
    boolean isAny = false;
    for (Outgoing each = arrivals.poll(); each != null; each = arrivals.poll()) {
      if (closed != null || each.link != null && each.link != link) {
        discard(each, closed());
      } else if (each.call == null || !each.call.reply.isDone()) {
        queue.add(each, link != null);
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
    long seen = places.timesFreed();
    while (!places.tryReserve(wanted)) {
      if (policy != QueuePolicy.DROP_OLDEST || !dropOldest()) {
        places.await(seen, deadlineNs - System.nanoTime());
      }
      requireOpen();
      seen = places.timesFreed();
    }
  }

  private boolean mayWaitForPlaces() {
    return policy == QueuePolicy.WAIT && !session.isOwnThread();
  }

  /** Whether there was one to drop: replies and what has left in part stay. */
  private boolean dropOldest() {
    lock.lock();
    try {
      drainArrivals();
      Outgoing oldest = queue.removeOldest(Outbox::isDroppable);
      if (oldest != null) {
        discard(
            oldest, new TransportException(Reason.BUSY, "dropped from the full queue to " + peer));
      }
      return oldest != null;
    } finally {
      unlock();
    }
  }

  private static boolean isDroppable(Outgoing message) {
    return message.link == null && !message.hasBegun();
  }

  private void discard(Outgoing message, TransportException why) {
    dequeued(message);
    if (message.slot != null) {
      slots.release(message.slot);
    }
    if (message.link == null) {
      dropped.incrementAndGet();
    }
    if (message.call != null) {
      ended = ended.isEmpty() ? new ArrayList<>() : ended;
      ended.add(() -> message.call.reply.completeExceptionally(why));
    }
  }

  /** Takes a message out of the account of the queue. */
  private void dequeued(Outgoing message) {
    if (message.link == null) {
      places.free(session.framesOf(message.lengthBytes));
    } else {
      places.removeReply(message.lengthBytes, message.kind);
    }
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
    queue.removeIf(isUnwanted, each -> discard(each, closed()));
  }

  /** Sends what can be sent now. With the lock. */
  private void pump() {
    while (link != null && !queue.isEmpty() && link.canSend()) {
      Outgoing first = queue.first();
      boolean isPosted = first.slot != null ? postSlot(first) : postCopy(first);
      if (!isPosted) {
        return;
      }
      if (first.isSent()) {
        queue.removeFirst();
        dequeued(first);
        if (first.call != null) {
          first.call.link = link;
        }
      }
    }
  }

  /** Whether a request may wait for the session's thread: others are on their way as well. */
  private static boolean mayWait(Call call) {
    return call != null && call.isOneOfMany;
  }

  /** Posts a slot's frame at once; the link then has a reference of its own. */
  private boolean post(SendSlot slot, int frameBytes, boolean mayWait) {
    if (link == null || !link.canSend() || slots.isUsedUp()) {
      return false;
    }
    slots.retain(slot);
    boolean isPosted = link.isend(slots.pool(), slot, frameBytes, mayWait);
    if (!isPosted) {
      slots.release(slot);
    }
    return isPosted;
  }

  private boolean postSlot(Outgoing message) {
    boolean isPosted =
        link.isend(
            slots.pool(),
            message.slot,
            Frame.HEADER_BYTES + message.lengthBytes,
            mayWait(message.call));
    if (isPosted) {
      message.sent();
    }
    return isPosted;
  }

  private boolean postCopy(Outgoing message) {
    if (slots.isUsedUp()) {
      // All of them are in flight: the end of one moves this on.
      return false;
    }
    SendSlot slot = slots.pool().tryAcquire();
    if (slot == null) {
      session.thread().awaitSlot(this);
      slot = slots.pool().tryAcquire();
    }
    if (slot == null) {
      return false;
    }
    int frameBytes = message.writeFrame(slot.frame());
    slots.adopt(slot);
    if (!link.isend(slots.pool(), slot, frameBytes, mayWait(message.call))) {
      slots.release(slot);
      return false;
    }
    message.frameSent(frameBytes);
    return true;
  }

  /** Slots may be free again: sends more. */
  void resume() {
    if (places.isAnyTaken()) {
      mayGoOn = true;
      if (lock.tryLock()) {
        unlock();
      }
    }
  }

  /**
   * A send of a link has ended, as it should or not.
   *
   * @param slot has the frame still
   */
  void sendEnded(Link of, SendSlot slot, boolean isDelivered) {
    boolean isMessage = Frame.endsMessage(slot.frame());
    of.sendEnded();
    slots.release(slot);
    if (!isDelivered && isMessage) {
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
      if (link == null) {
        session.connected().incrementAndGet();
      }
      link = opened;
      opened.isWelcome = true;
      if (isAccepted) {
        places.addReply(0);
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
      gone.isLeft = true;
      gone.isWelcome = false;
      if (link == gone) {
        link = null;
        session.connected().decrementAndGet();
        drainArrivals();
        removeIf(each -> each.link == gone);
        queue.restart();
      }
      return !queue.isEmpty();
    } finally {
      unlock();
    }
  }

  /** Drops everything, and accepts nothing more. */
  void close(TransportException why) {
    lock.lock();
    try {
      closed = why;
      if (link != null) {
        link.isLeft = true;
        link.isWelcome = false;
        link = null;
        session.connected().decrementAndGet();
      }
      drainArrivals();
      removeIf(each -> true);
      places.end();
    } finally {
      unlock();
    }
  }

  private void requireOpen() throws TransportException {
    if (closed != null) {
      throw closed();
    }
  }

  private TransportException closed() {
    TransportException why = closed;
    return why != null
        ? why.copy()
        : new TransportException(Reason.CLOSED, "the session with " + peer + " is closed");
  }
}
