// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Peer;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A node that this one talks to, by its name: the connection to it, which is opened when it is
 * needed and opened again when it was lost, and the queue of what is to be sent. {@link Session#to}
 * gives it; it lives as long as the session, or until {@link #remove}. Any thread may call it.
 *
 * <p>Messages arrive at most once and in the order in which they were sent. What had not left when
 * a connection was lost goes over the next one. What had left and was not confirmed is lost, or has
 * arrived: {@link #unconfirmed} counts it, and calls in this state fail.
 */
public final class PeerSession {
  private final Session session;
  private final String name;
  private final int queueLength;
  private final QueuePolicy policy;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition space = lock.newCondition();
  private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();
  private final Map<Long, Call> calls = new HashMap<>();
  private final ReconnectPauses pauses;

  private PeerState state = PeerState.DOWN;
  private Link link;

  /** Opened by the peer while this node's own attempt was under way; welcome if that fails. */
  private Link candidate;

  private long candidateUntilNs;
  private CompletableFuture<?> attempt;
  private long attemptUntilNs;
  private boolean isWanted;
  private long nextAttemptNs;
  private int queuedFrames;
  private int replies;
  private int slots;
  private long nextCallId;
  private TransportException failure;
  private Peer last;
  private boolean isLastGone;
  private long dropped;
  private long unconfirmed;

  PeerSession(Session session, String name, SessionOptions options, long nowNs) {
    this.session = session;
    this.name = name;
    queueLength = options.queueLength();
    policy = options.queuePolicy();
    pauses = new ReconnectPauses(options);
    nextAttemptNs = nowNs;
  }

  /** The node's name. */
  public String name() {
    return name;
  }

  /** Whether there is a connection now. */
  public PeerState state() {
    lock.lock();
    try {
      return state;
    } finally {
      lock.unlock();
    }
  }

  /** The process that this node was connected to last; empty if there was none. */
  public Optional<Peer> lastPeer() {
    lock.lock();
    try {
      return Optional.ofNullable(last);
    } finally {
      lock.unlock();
    }
  }

  /** Why the last connection ended, or could not be opened; empty while it is open. */
  public Optional<TransportException> failure() {
    lock.lock();
    try {
      return state == PeerState.OPEN || failure == null
          ? Optional.empty()
          : Optional.of(failure.copy());
    } finally {
      lock.unlock();
    }
  }

  /** Messages in the queue, which have not left yet. */
  public int queued() {
    lock.lock();
    try {
      return queue.size();
    } finally {
      lock.unlock();
    }
  }

  /** Messages that were dropped from the queue: by its policy, or because this peer was removed. */
  public long dropped() {
    lock.lock();
    try {
      return dropped;
    } finally {
      lock.unlock();
    }
  }

  /** Messages that had left when a connection was lost, and may have arrived or not. */
  public long unconfirmed() {
    lock.lock();
    try {
      return unconfirmed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Connects if there is no connection, at once and whatever pause there was: for programs that
   * have learnt that the node is there. Never blocks.
   */
  public void connectNow() {
    lock.lock();
    try {
      isWanted = true;
      pauses.reset();
      nextAttemptNs = System.nanoTime();
      session.dueAt(nextAttemptNs);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends a message, or queues it while there is no connection or the peer receives nothing. Copies
   * it once.
   *
   * @param message from its position to its limit, which stay as they are; at most {@link
   *     Session#maxMessageBytes}
   * @param timeout how long to wait for a place in the queue with {@link QueuePolicy#WAIT}
   * @throws TransportException TIMED_OUT or BUSY if the queue stayed full, INTERRUPTED, or CLOSED;
   *     the message was not queued then. A retry helps but for CLOSED
   * @throws IllegalArgumentException if the message is too long
   */
  public void send(ByteBuffer message, Duration timeout) throws TransportException {
    requireLength(message);
    transmit(Frame.MESSAGE, 0, message, null, deadline(timeout));
  }

  /**
   * Sends a request and waits for the reply.
   *
   * @param request as for {@link #send}
   * @param timeout until the reply is here, queue included
   * @return the reply, the caller's
   * @throws TransportException TIMED_OUT; REFUSED with the peer's text if it cannot answer; BUSY if
   *     the queue or the number of calls is at its limit; why the connection was lost, and then the
   *     peer may have carried out the request; INTERRUPTED; CLOSED
   */
  public ByteBuffer call(ByteBuffer request, Duration timeout) throws TransportException {
    requireLength(request);
    long deadlineNs = deadline(timeout);
    Call call = begin(deadlineNs);
    try {
      transmit(Frame.REQUEST, call.id, request, call, deadlineNs);
      return call.reply.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof TransportException why
          ? why.copy()
          : new TransportException(Reason.DEVICE, "the call to " + name + " met " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted();
    } finally {
      end(call);
    }
  }

  /**
   * Sends a request. Blocks as {@link #send} does while the queue is full, and never for the reply.
   *
   * @return the reply, the caller's, or the failures of {@link #call}; done on the session's
   *     thread, which its dependents must not block. Cancelling it gives the reply up
   */
  public CompletableFuture<ByteBuffer> request(ByteBuffer request, Duration timeout) {
    requireLength(request);
    long deadlineNs = deadline(timeout);
    Call call = null;
    try {
      Call begun = begin(deadlineNs);
      call = begun;
      call.reply.whenComplete((reply, why) -> end(begun));
      transmit(Frame.REQUEST, call.id, request, call, deadlineNs);
      return call.reply;
    } catch (TransportException e) {
      if (call == null) {
        return CompletableFuture.failedFuture(e);
      }
      call.reply.completeExceptionally(e);
      return call.reply;
    }
  }

  private Call begin(long deadlineNs) throws TransportException {
    lock.lock();
    try {
      requireOpen();
      if (calls.size() >= session.options().maxCalls()) {
        throw new TransportException(
            Reason.BUSY,
            calls.size() + " calls to " + name + " wait for their replies, the limit of maxCalls");
      }
      Call call = new Call(++nextCallId, deadlineNs);
      calls.put(call.id, call);
      session.dueAt(deadlineNs);
      return call;
    } finally {
      lock.unlock();
    }
  }

  private void end(Call call) {
    lock.lock();
    try {
      if (calls.remove(call.id, call) && call.link == null) {
        // Only a call that was given up: else its request has left.
        removeIf(each -> each.call == call);
      }
    } finally {
      lock.unlock();
    }
  }

  private static long deadline(Duration timeout) {
    return System.nanoTime() + Math.min(timeout.toNanos(), Long.MAX_VALUE >> 2);
  }

  void requireLength(ByteBuffer message) {
    if (message.remaining() > session.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "a message of %d bytes; at most %d are possible (SessionOptions.lengths)"
              .formatted(message.remaining(), session.maxMessageBytes()));
    }
  }

  private void requireOpen() throws TransportException {
    if (state == PeerState.CLOSED) {
      throw closed();
    }
  }

  private TransportException closed() {
    return new TransportException(Reason.CLOSED, "the session with " + name + " is closed");
  }

  private TransportException interrupted() {
    return new TransportException(
        Reason.INTERRUPTED, "the thread was interrupted while it waited for " + name);
  }

  private void transmit(byte kind, long id, ByteBuffer message, Call call, long deadlineNs)
      throws TransportException {
    int lengthBytes = message.remaining();
    SendSlot slot = lengthBytes <= session.slotCapacity() ? session.pool().tryAcquire() : null;
    if (slot == null) {
      lock.lock();
      try {
        admit(session.framesOf(lengthBytes), deadlineNs);
        enqueue(Outgoing.copyOf(message, kind, id, call, null));
      } finally {
        lock.unlock();
      }
      return;
    }
    try {
      Frame.put(slot.frame(), kind, (byte) 0, lengthBytes, id);
      slot.frame().put(Frame.HEADER_BYTES, message, message.position(), lengthBytes);
      sendSlot(slot, lengthBytes, kind, id, call, deadlineNs);
    } finally {
      slot.close();
    }
  }

  void sendSlot(SendSlot slot, int lengthBytes, Duration timeout) throws TransportException {
    sendSlot(slot, lengthBytes, Frame.MESSAGE, 0, null, deadline(timeout));
  }

  private void sendSlot(
      SendSlot slot, int lengthBytes, byte kind, long id, Call call, long deadlineNs)
      throws TransportException {
    lock.lock();
    try {
      requireOpen();
      if (queue.isEmpty() && post(slot, Frame.HEADER_BYTES + lengthBytes)) {
        if (call != null) {
          call.link = link;
        }
        return;
      }
      admit(1, deadlineNs);
      enqueue(outgoing(slot, lengthBytes, kind, id, call, null));
    } finally {
      lock.unlock();
    }
  }

  /** In its slot, or copied out of it if this peer has its share of the slots already. */
  private Outgoing outgoing(
      SendSlot slot, int lengthBytes, byte kind, long id, Call call, Link over) {
    if (slots >= session.slotShare()) {
      ByteBuffer body = slot.frame().duplicate();
      body.position(Frame.HEADER_BYTES).limit(Frame.HEADER_BYTES + lengthBytes);
      return Outgoing.copyOf(body, kind, id, call, over);
    }
    session.pool().retain(slot);
    slots++;
    return Outgoing.inSlot(slot, lengthBytes, kind, id, call, over);
  }

  /** Posts a slot's frame at once; the link then has a reference of its own. */
  private boolean post(SendSlot slot, int frameBytes) {
    if (state != PeerState.OPEN || !link.canSend() || slots >= session.slotShare()) {
      return false;
    }
    session.pool().retain(slot);
    if (!link.isend(session.pool(), slot, frameBytes)) {
      session.pool().release(slot);
      return false;
    }
    slots++;
    return true;
  }

  /** Waits for places in the queue, or makes them, as the policy says. An empty queue has some. */
  private void admit(int frames, long deadlineNs) throws TransportException {
    requireOpen();
    while (queuedFrames > 0 && queuedFrames + frames > queueLength) {
      if (policy == QueuePolicy.DROP_OLDEST && dropOldest()) {
        continue;
      }
      long leftNs = deadlineNs - System.nanoTime();
      if (policy != QueuePolicy.WAIT || session.isOwnThread()) {
        throw new TransportException(Reason.BUSY, "the queue to " + full());
      }
      if (leftNs <= 0) {
        throw new TransportException(Reason.TIMED_OUT, "no place in the queue to " + full());
      }
      try {
        space.awaitNanos(leftNs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw interrupted();
      }
      requireOpen();
    }
  }

  private String full() {
    return "%s, which has %d messages (%d of %d frames); the peer is %s%s"
        .formatted(
            name,
            queue.size(),
            queuedFrames,
            queueLength,
            state,
            state == PeerState.OPEN
                ? " and receives nothing more"
                : failure == null ? "" : ": " + failure.summary());
  }

  /** Whether there was one to drop: replies and what has left in part stay. */
  private boolean dropOldest() {
    for (Outgoing each : queue) {
      if (each.link == null && each.kind != Frame.WELCOME && !each.hasBegun()) {
        queue.remove(each);
        discard(
            each, new TransportException(Reason.BUSY, "dropped from the full queue to " + name));
        return true;
      }
    }
    return false;
  }

  private void enqueue(Outgoing message) {
    queue.add(message);
    queuedFrames += frames(message);
    if (state == PeerState.DOWN) {
      isWanted = true;
      session.dueAt(nextAttemptNs);
    } else {
      pump();
    }
  }

  private int frames(Outgoing message) {
    return message.link == null ? session.framesOf(message.lengthBytes) : 0;
  }

  /** Takes a message out of the account of the queue. */
  private void dequeued(Outgoing message) {
    queuedFrames -= frames(message);
    if (message.link != null) {
      replies--;
    }
    space.signalAll();
  }

  private void discard(Outgoing message, TransportException why) {
    dequeued(message);
    if (message.slot != null) {
      slots--;
      session.pool().release(message.slot);
    }
    if (message.call != null) {
      message.call.reply.completeExceptionally(why);
    }
    if (message.link == null) {
      dropped++;
    }
  }

  private void removeIf(Predicate<Outgoing> isUnwanted) {
    for (Iterator<Outgoing> each = queue.iterator(); each.hasNext(); ) {
      Outgoing message = each.next();
      if (isUnwanted.test(message) && !message.hasBegun()) {
        each.remove();
        discard(message, closed());
      }
    }
  }

  /** Sends from the queue what can be sent now. With the lock. */
  private void pump() {
    while (state == PeerState.OPEN && !queue.isEmpty() && link.canSend()) {
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

  private boolean postSlot(Outgoing message) {
    boolean isPosted =
        link.isend(session.pool(), message.slot, Frame.HEADER_BYTES + message.lengthBytes);
    if (isPosted) {
      message.sent();
    }
    return isPosted;
  }

  private boolean postCopy(Outgoing message) {
    SendSlot slot = slots >= session.slotShare() ? null : session.pool().tryAcquire();
    if (slot == null) {
      session.awaitSlots();
      return false;
    }
    int frameBytes = message.writeFrame(slot.frame());
    if (!link.isend(session.pool(), slot, frameBytes)) {
      session.pool().release(slot);
      return false;
    }
    slots++;
    message.frameSent(frameBytes);
    return true;
  }

  /** Some sends have ended, or slots are free: sends more. */
  void resume() {
    lock.lock();
    try {
      pump();
    } finally {
      lock.unlock();
    }
  }

  /** A send of a link has ended, as it should or not. */
  void sendEnded(Link of, SendSlot slot, boolean isDelivered) {
    lock.lock();
    try {
      of.sendEnded();
      slots--;
      session.pool().release(slot);
      if (!isDelivered) {
        unconfirmed++;
      }
      pump();
    } finally {
      lock.unlock();
    }
  }

  /** Sends a reply; never waits. */
  void reply(Link over, byte kind, long id, ByteBuffer message) {
    lock.lock();
    try {
      if (link != over || state != PeerState.OPEN) {
        return;
      }
      int lengthBytes = message.remaining();
      boolean fits = queue.isEmpty() && lengthBytes <= session.slotCapacity();
      SendSlot slot = fits ? session.pool().tryAcquire() : null;
      if (slot != null) {
        try {
          Frame.put(slot.frame(), kind, (byte) 0, lengthBytes, id);
          slot.frame().put(Frame.HEADER_BYTES, message, message.position(), lengthBytes);
          if (post(slot, Frame.HEADER_BYTES + lengthBytes)) {
            return;
          }
        } finally {
          slot.close();
        }
      }
      replies++;
      enqueue(Outgoing.copyOf(message, kind, id, null, over));
    } finally {
      lock.unlock();
    }
  }

  /** A reply has arrived. */
  void replied(byte kind, long id, ByteBuffer message) {
    Call call;
    lock.lock();
    try {
      call = calls.remove(id);
    } finally {
      lock.unlock();
    }
    if (call == null) {
      // Its time was over, or it was cancelled.
      return;
    }
    ByteBuffer copy = ByteBuffer.allocate(message.remaining());
    copy.put(message).flip();
    if (kind == Frame.REPLY) {
      call.reply.complete(copy);
    } else {
      call.reply.completeExceptionally(
          new TransportException(
              Reason.REFUSED, name + " cannot answer: " + StandardCharsets.UTF_8.decode(copy)));
    }
  }

  /** Whether the peer has so many replies in the queue that it must be out of its mind. */
  boolean isFlooded() {
    lock.lock();
    try {
      return replies > 4 * session.options().maxCalls();
    } finally {
      lock.unlock();
    }
  }

  /** How many slots its messages have. */
  boolean hasSlots() {
    lock.lock();
    try {
      return slots > 0 || !queue.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  // What follows is called on the session's thread alone.

  /**
   * Does what is due.
   *
   * @return when something is due next, on the clock of System.nanoTime; Long.MAX_VALUE for never
   */
  long sweep(long nowNs) {
    List<Call> late = new ArrayList<>();
    boolean isDue = false;
    Link refused = null;
    long nextNs = Long.MAX_VALUE;
    lock.lock();
    try {
      for (Call each : calls.values()) {
        if (each.deadlineNs - nowNs <= 0) {
          late.add(each);
        } else {
          nextNs = Math.min(nextNs, each.deadlineNs);
        }
      }
      if (state == PeerState.CONNECTING) {
        if (attempt == null && attemptUntilNs - nowNs <= 0) {
          refused = link;
        } else {
          nextNs = Math.min(nextNs, attemptUntilNs);
        }
      } else if (state == PeerState.DOWN && isWanted) {
        isDue = nextAttemptNs - nowNs <= 0;
        nextNs = isDue ? nextNs : Math.min(nextNs, nextAttemptNs);
      }
      if (candidate != null) {
        nextNs = Math.min(nextNs, Math.max(candidateUntilNs, nowNs + 1));
      }
    } finally {
      lock.unlock();
    }
    for (Call each : late) {
      each.reply.completeExceptionally(
          new TransportException(
              Reason.TIMED_OUT,
              each.link == null
                  ? "the request to " + name + " has not left: " + describe()
                  : name + " has not answered the request"));
      end(each);
    }
    if (refused != null) {
      session.refuse(refused, "it has not welcomed the connection within the time for connecting");
    }
    expireCandidate(nowNs);
    if (isDue) {
      session.connect(this);
      nextNs = Math.min(nextNs, nowNs);
    }
    return nextNs;
  }

  private void expireCandidate(long nowNs) {
    Link expired = null;
    lock.lock();
    try {
      if (candidate != null && candidateUntilNs - nowNs <= 0) {
        expired = candidate;
        candidate = null;
      }
    } finally {
      lock.unlock();
    }
    if (expired != null) {
      session.refuse(
          expired,
          "another connection to a node of that name stays open. Give each node a MESH_NODE of its own");
    }
  }

  /** An attempt to connect begins, if there is none. */
  boolean beginAttempt(long untilNs) {
    lock.lock();
    try {
      if (state != PeerState.DOWN) {
        return false;
      }
      become(PeerState.CONNECTING);
      attemptUntilNs = untilNs;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The attempt that has begun, which is cancelled if the peer's own is preferred. */
  void attempting(CompletableFuture<?> future) {
    lock.lock();
    try {
      attempt = future;
    } finally {
      lock.unlock();
    }
  }

  /**
   * This node's attempt has a connection, which waits for the peer's welcome.
   *
   * @return whether it is wanted
   */
  boolean dialed(CompletableFuture<?> of, Link dialed) {
    lock.lock();
    try {
      if (state != PeerState.CONNECTING || attempt != of) {
        return false;
      }
      attempt = null;
      link = dialed;
      session.dueAt(attemptUntilNs);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether an attempt is the one under way. */
  boolean isAttempt(CompletableFuture<?> of) {
    lock.lock();
    try {
      return state == PeerState.CONNECTING && attempt == of;
    } finally {
      lock.unlock();
    }
  }

  /** What becomes of a connection that the peer has opened. */
  enum Choice {
    /** It is the one from now on. */
    WELCOME,
    /** It waits for what becomes of another one. */
    WAIT,
    /** The session is closed. */
    REFUSE
  }

  /**
   * The peer has opened a connection. If both nodes open one at the same time, that of the node
   * with the smaller id is the one.
   *
   * @param replaced gets what is closed in its favour: at most two links
   */
  Choice offered(Link accepted, String ownId, long untilNs, List<Link> replaced) {
    lock.lock();
    try {
      boolean isOwnPreferred = ownId.compareTo(accepted.connection.peer().id()) < 0;
      switch (state) {
        case DOWN:
          return Choice.WELCOME;
        case CONNECTING:
          if (!isOwnPreferred) {
            abandon(replaced);
            return Choice.WELCOME;
          }
          break;
        case OPEN:
          break;
        default:
          return Choice.REFUSE;
      }
      if (candidate != null) {
        replaced.add(candidate);
      }
      candidate = accepted;
      candidateUntilNs = untilNs;
      session.dueAt(untilNs);
      return Choice.WAIT;
    } finally {
      lock.unlock();
    }
  }

  private void abandon(List<Link> replaced) {
    if (attempt != null) {
      attempt.cancel(true);
      attempt = null;
    }
    if (link != null) {
      replaced.add(link);
      link = null;
    }
    become(PeerState.DOWN);
  }

  /**
   * Messages go over this link from now on.
   *
   * @param isAccepted whether the peer waits for a WELCOME
   * @return the id of a former process of this node whose end this shows; null if there is none
   */
  String open(Link opened, boolean isAccepted) {
    lock.lock();
    try {
      link = opened;
      opened.isWelcome = true;
      become(PeerState.OPEN);
      pauses.reset();
      failure = null;
      if (isAccepted) {
        replies++;
        Outgoing welcome = Outgoing.copyOf(ByteBuffer.allocate(0), Frame.WELCOME, 0, null, opened);
        queue.addFirst(welcome);
      }
      Peer now = opened.connection.peer();
      String former = last == null || last.id().equals(now.id()) || isLastGone ? null : last.id();
      last = now;
      isLastGone = false;
      pump();
      return former;
    } finally {
      lock.unlock();
    }
  }

  /** What the end of a link, or of an attempt, has changed. */
  record Ended(boolean isOwn, boolean wasOpen, Link promoted) {}

  /**
   * A link has ended. Its calls fail, and what has not left stays for the next one.
   *
   * @return what it was
   */
  Ended ended(Link gone, TransportException why, long nowNs) {
    List<Call> failed = new ArrayList<>();
    Ended result;
    lock.lock();
    try {
      if (gone == candidate) {
        candidate = null;
      }
      if (gone != link || state == PeerState.CLOSED) {
        return new Ended(false, false, null);
      }
      boolean wasOpen = state == PeerState.OPEN;
      link = null;
      gone.isWelcome = false;
      isLastGone |= why.reason() == Reason.PEER_CLOSED;
      for (Iterator<Outgoing> each = queue.iterator(); each.hasNext(); ) {
        Outgoing message = each.next();
        if (message.link == gone) {
          each.remove();
          discard(message, why);
        } else {
          message.restart();
        }
      }
      for (Call each : calls.values()) {
        if (each.link == gone) {
          failed.add(each);
        }
      }
      result = down(why, wasOpen, nowNs);
    } finally {
      lock.unlock();
    }
    for (Call each : failed) {
      each.reply.completeExceptionally(why.copy());
      end(each);
    }
    return result;
  }

  /** An attempt to connect has failed before there was a connection. */
  Ended attemptFailed(CompletableFuture<?> of, TransportException why, long nowNs) {
    lock.lock();
    try {
      if (state != PeerState.CONNECTING || attempt != of) {
        return new Ended(false, false, null);
      }
      attempt = null;
      return down(why, false, nowNs);
    } finally {
      lock.unlock();
    }
  }

  private Ended down(TransportException why, boolean wasOpen, long nowNs) {
    become(PeerState.DOWN);
    failure = why;
    isWanted |= !queue.isEmpty();
    nextAttemptNs = nowNs + (wasOpen ? 0 : pauses.nextPauseNs());
    session.dueAt(nextAttemptNs);
    Link promoted = candidate;
    candidate = null;
    return new Ended(true, wasOpen, promoted);
  }

  /**
   * The process with that id has ended for certain.
   *
   * @return whether that is news: it was the last one here, and had not said goodbye
   */
  boolean processEnded(String nodeId) {
    lock.lock();
    try {
      boolean isNews = last != null && !isLastGone && last.id().equals(nodeId);
      isLastGone |= isNews;
      return isNews;
    } finally {
      lock.unlock();
    }
  }

  /** Nothing more is sent over a link, which is about to be closed. */
  void notWelcome(Link closing) {
    lock.lock();
    try {
      closing.isWelcome = false;
    } finally {
      lock.unlock();
    }
  }

  private void become(PeerState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(
          "the session with " + name + " cannot go from " + state + " to " + next);
    }
    state = next;
    space.signalAll();
  }

  /**
   * Ends it: the connection is closed, what is queued is dropped, calls and waiting senders fail
   * with CLOSED. {@link Session#to} makes a new one. Never blocks; safe to call twice.
   */
  public void remove() {
    session.remove(this);
  }

  /** Ends it, and adds the links that are to be closed. */
  void close(List<Link> links) {
    List<Call> failed;
    lock.lock();
    try {
      if (state == PeerState.CLOSED) {
        return;
      }
      if (attempt != null) {
        attempt.cancel(true);
      }
      become(PeerState.CLOSED);
      for (Link each : new Link[] {link, candidate}) {
        if (each != null) {
          each.isWelcome = false;
          links.add(each);
        }
      }
      while (!queue.isEmpty()) {
        discard(queue.remove(), closed());
      }
      failed = List.copyOf(calls.values());
      calls.clear();
    } finally {
      lock.unlock();
    }
    failed.forEach(each -> each.reply.completeExceptionally(closed()));
  }

  private String describe() {
    lock.lock();
    try {
      return state + (failure == null ? "" : ", " + failure.summary());
    } finally {
      lock.unlock();
    }
  }

  /** As in {@code b: OPEN}. */
  @Override
  public String toString() {
    return name + ": " + describe();
  }
}
