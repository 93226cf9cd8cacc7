// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A node that this one talks to, by its name: the connection to it, which is opened when it is
 * needed and opened again when it was lost, and the queue of what is to be sent. {@link Session#to}
 * gives it; it lives as long as the session, or until {@link #remove}. Any thread may call it.
 *
 * <p>Messages arrive at most once, and those of one thread in the order in which it sent them. What
 * had not left when a connection was lost goes over the next one. What had left and was not
 * confirmed is lost, or has arrived: {@link #unconfirmed} counts it, and calls in this state fail.
 */
public final class PeerSession {
  private final Session session;
  private final String name;
  private final PeerLife life;
  private final Outbox outbox;
  private final Calls calls;
  private final ReplySpin replySpin;
  private volatile boolean isKept;

  PeerSession(Session session, String name, SessionOptions options) {
    this.session = session;
    this.name = name;
    life = new PeerLife(name, options, System.nanoTime());
    outbox = new Outbox(session, name, options, this::need, life::toString);
    calls = new Calls(name, options.maxCalls());
    replySpin = new ReplySpin(session.replySpinNs());
  }

  /** This node's program has named it: it stays. */
  void keep() {
    isKept = true;
  }

  /**
   * Ends it if only the peer itself has named it, and it is down with nothing to be sent.
   *
   * @param ending gets a link that has come meanwhile
   */
  boolean endIfDispensable(List<Link> ending) {
    boolean isDispensable =
        !isKept && state() == PeerState.DOWN && !outbox.isBusy() && lastPeer().isPresent();
    if (isDispensable) {
      close(ending);
    }
    return isDispensable;
  }

  /** The node's name. */
  public String name() {
    return name;
  }

  /** Whether there is a connection now. */
  public PeerState state() {
    return life.state();
  }

  /** The process that this node was connected to last; empty if there was none. */
  public Optional<Peer> lastPeer() {
    return life.lastPeer();
  }

  /** The path of the connection; empty while there is none. */
  public Optional<Route> route() {
    return life.route();
  }

  /** Why the last connection ended, or could not be opened; empty while there is one. */
  public Optional<TransportException> failure() {
    return life.failure();
  }

  /** Messages in the queue, which have not left yet. */
  public int queued() {
    return outbox.queued();
  }

  /** Messages that were dropped from the queue: by its policy, or because this peer was removed. */
  public long dropped() {
    return outbox.dropped();
  }

  /** Messages that had left when a connection was lost, and may have arrived or not. */
  public long unconfirmed() {
    return outbox.unconfirmed();
  }

  /**
   * Connects if there is no connection, at once and whatever pause there was: for programs that
   * have learnt that the node is there. Never blocks.
   */
  public void connectNow() {
    life.connectNow(System.nanoTime());
    session.thread().dueNow();
  }

  /** Connects if there is no connection, after the pause that the last failure made. */
  public void connect() {
    need();
  }

  /** Whether messages can go both ways now. Costs less than {@link #state}. */
  public boolean isOpen() {
    return outbox.isAttached();
  }

  /**
   * Drops what is queued, but for what has left in part: for programs whose messages are of no use
   * once a connection has failed. Calls among it fail with CLOSED.
   *
   * @return how many messages
   */
  public int dropQueued() {
    return outbox.dropQueued();
  }

  /**
   * Sends something to the peer's {@link NodeExchange}, over the connection that there is now.
   * Never blocks, and copies the message.
   *
   * @param message as for {@link #send}
   * @return false if there is no connection, or if 64 of these have not left
   */
  public boolean exchange(ByteBuffer message) {
    requireLength(message);
    return outbox.exchange(message);
  }

  private void need() {
    if (life.need()) {
      session.thread().dueNow();
    }
  }

  /**
   * Sends a message, or queues it while there is no connection or the peer receives nothing. Copies
   * it once.
   *
   * @param message from its position to its limit, which stay as they are; at most {@link
   *     Session#maxMessageBytes}
   * @param timeout how long to wait for a place in the queue with {@link QueuePolicy#WAIT}; 0 or
   *     less does not wait
   * @throws TransportException TIMED_OUT or BUSY if the queue stayed full, INTERRUPTED, or CLOSED
   *     once the session or its transport is closed, or this peer removed, by whichever thread and
   *     also while this waits; the message was not queued then. A retry helps but for CLOSED
   * @throws IllegalArgumentException if the message is too long
   */
  public void send(ByteBuffer message, Duration timeout) throws TransportException {
    requireLength(message);
    transmit(Frame.MESSAGE, 0, message, null, WaitTimes.endNs(timeout));
  }

  /**
   * Sends a request and waits for the reply. Where more threads call the peer than there are
   * processors, the thread polls and yields before it sleeps, for up to four times MESH_SPIN_US,
   * unless that has not paid lately.
   *
   * @param request as for {@link #send}
   * @param timeout until the reply is here, queue included; with 0 or less it times out
   * @return the reply, the caller's
   * @throws TransportException TIMED_OUT; REFUSED with the peer's text if it cannot answer; BUSY if
   *     the queue or the number of calls is at its limit; why the connection was lost, and then the
   *     peer may have carried out the request; INTERRUPTED; CLOSED
   * @throws IllegalStateException on the session's own thread, which brings the replies
   */
  public ByteBuffer call(ByteBuffer request, Duration timeout) throws TransportException {
    if (session.isOwnThread()) {
      throw new IllegalStateException(
          "the session's thread cannot wait for a reply, which it would have to bring: use request()");
    }
    requireLength(request);
    Call call = calls.begin(timeout);
    int waiting = replySpin.enter();
    try {
      session.thread().dueAt(call.deadlineNs);
      transmit(Frame.REQUEST, call.id, request, call, call.deadlineNs);
      replySpin.await(call.reply, waiting);
      return call.reply.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof TransportException why
          ? why.copy()
          : new TransportException(Reason.DEVICE, "the call to " + name + " met " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransportException(
          Reason.INTERRUPTED, "the thread was interrupted while it waited for " + name);
    } finally {
      replySpin.leave();
      end(call);
    }
  }

  /**
   * Sends a request. Blocks as {@link #send} does while the queue is full, and never for the reply.
   *
   * @param timeout as for {@link #call}
   * @return the reply, the caller's, or the failures of {@link #call}; done on the session's
   *     thread, which its dependents must not block. Cancelling it gives the reply up
   */
  public CompletableFuture<ByteBuffer> request(ByteBuffer request, Duration timeout) {
    requireLength(request);
    Call call;
    try {
      call = calls.begin(timeout);
    } catch (TransportException e) {
      return CompletableFuture.failedFuture(e);
    }
    call.reply.whenComplete((reply, why) -> end(call));
    session.thread().dueAt(call.deadlineNs);
    try {
      transmit(Frame.REQUEST, call.id, request, call, call.deadlineNs);
    } catch (TransportException e) {
      call.reply.completeExceptionally(e);
    }
    return call.reply;
  }

  private void end(Call call) {
    // One that is still here was given up; if its request is still here too, it must not leave.
    if (calls.end(call) && call.link == null) {
      outbox.remove(call);
    }
  }

  int maxMessageBytes() {
    return session.maxMessageBytes();
  }

  void requireLength(ByteBuffer message) {
    if (message.remaining() > session.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "a message of %d bytes; at most %d are possible (SessionOptions.lengths)"
              .formatted(message.remaining(), session.maxMessageBytes()));
    }
  }

  private void transmit(byte kind, long id, ByteBuffer message, Call call, long deadlineNs)
      throws TransportException {
    boolean fits = message.remaining() <= session.slotCapacity();
    SendSlot slot = fits ? session.pool().tryAcquire() : null;
    if (slot == null) {
      outbox.send(message, kind, id, call, deadlineNs);
      return;
    }
    try {
      slot.write(message, kind, id);
      outbox.send(slot, message.remaining(), kind, id, call, deadlineNs);
    } finally {
      slot.close();
    }
  }

  void sendSlot(SendSlot slot, int lengthBytes, Duration timeout) throws TransportException {
    outbox.send(slot, lengthBytes, Frame.MESSAGE, 0, null, WaitTimes.endNs(timeout));
  }

  void reply(Link over, byte kind, long id, ByteBuffer message) {
    outbox.send(message, kind, id, over);
  }

  Session session() {
    return session;
  }

  Outbox outbox() {
    return outbox;
  }

  Calls calls() {
    return calls;
  }

  PeerLife life() {
    return life;
  }

  /**
   * Fails the calls whose deadline has passed.
   *
   * @return the next deadline; Long.MAX_VALUE if there is none
   */
  long expireCalls(long nowNs) {
    return calls.expire(nowNs, new CallTimeout(name, life, () -> session.whySilent(name)));
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
    close(links, new TransportException(Reason.CLOSED, "the session with " + name + " is closed"));
  }

  /**
   * @param why for calls and sends, from now on
   */
  void close(List<Link> links, TransportException why) {
    try {
      life.close(links);
    } finally {
      try {
        outbox.close(why);
      } finally {
        calls.close(why);
      }
    }
  }

  /** As in {@code b: OPEN}. */
  @Override
  public String toString() {
    return name + ": " + life;
  }
}
