// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * How much waits for one peer, and how much may: messages have a place for each of their frames;
 * replies have no limit here and are counted, and so are exchanges, which are among them. Any
 * thread may call it; only {@link #await} blocks.
 */
final class QueuePlaces {
  /** What sources of nodes say that has not left: a peer that receives nothing must cost little. */
  static final int MAX_EXCHANGES = 64;

  private static final String TOO_MANY = "Send more slowly";
  private static final String NOT_WAITING =
      "Try again later, send from a thread that is not the session's with QueuePolicy.WAIT";
  private static final String NOT_CONNECTED =
      "Nothing leaves without a connection: send again once there is one";

  private final String peer;
  private final int limit;
  private final BooleanSupplier mayWait;
  private final BooleanSupplier isConnected;
  private final Supplier<Object> state;

  /** Frames of all that waits, but for replies. */
  private final AtomicInteger frames = new AtomicInteger();

  private final AtomicInteger replies = new AtomicInteger();
  private final AtomicLong replyBytes = new AtomicLong();
  private final AtomicInteger exchanges = new AtomicInteger();
  private final PlacesFreed freed = new PlacesFreed();

  /**
   * @param limit frames that may wait
   * @param mayWait whether the current thread may wait for places
   * @param isConnected whether what waits can leave
   * @param state of the peer, for texts
   */
  QueuePlaces(
      String peer,
      int limit,
      BooleanSupplier mayWait,
      BooleanSupplier isConnected,
      Supplier<Object> state) {
    this.peer = peer;
    this.limit = limit;
    this.mayWait = mayWait;
    this.isConnected = isConnected;
    this.state = state;
  }

  /** Whether anything waits. */
  boolean isAnyTaken() {
    return frames.get() > 0 || replies.get() > 0;
  }

  int replies() {
    return replies.get();
  }

  long replyBytes() {
    return replyBytes.get();
  }

  /** Takes so many places if there are as many, of which an empty queue has any number. */
  boolean tryReserve(int wanted) {
    while (true) {
      int now = frames.get();
      // One that is longer than the queue needs it half empty: waiting for an empty one, it would
      // never have its turn beside short ones.
      boolean fits = now + wanted <= limit || now == 0 || wanted > limit && now <= limit / 2;
      if (!fits) {
        return false;
      }
      if (frames.compareAndSet(now, now + wanted)) {
        return true;
      }
    }
  }

  /** How often places became free so far: read before the queue is found full. */
  long timesFreed() {
    return freed.times();
  }

  /**
   * Waits until places become free once more, or {@link #end}s.
   *
   * @throws TransportException BUSY where the thread may not wait, TIMED_OUT, INTERRUPTED
   */
  void await(long seen, long leftNs) throws TransportException {
    if (!mayWait.getAsBoolean()) {
      throw new TransportException(Reason.BUSY, "the queue to " + full(NOT_WAITING));
    }
    if (leftNs <= 0) {
      throw new TransportException(Reason.TIMED_OUT, "no place in the queue to " + full(TOO_MANY));
    }
    try {
      freed.await(seen, leftNs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransportException(
          Reason.INTERRUPTED, "the thread was interrupted while it waited for " + peer);
    }
  }

  /**
   * @param remedy while the peer is connected
   */
  private String full(String remedy) {
    // The text of a failure in it has a full stop of its own.
    String now = state.get().toString();
    return "%s, which has %d of %d frames; the session is %s %s, or allow more (SessionOptions.queue)"
        .formatted(
            peer,
            frames.get(),
            limit,
            now.endsWith(".") ? now : now + ".",
            isConnected.getAsBoolean() ? remedy : NOT_CONNECTED);
  }

  void free(int count) {
    frames.addAndGet(-count);
    freed.more();
  }

  void addReply(int lengthBytes) {
    replies.incrementAndGet();
    replyBytes.addAndGet(lengthBytes);
  }

  void removeReply(int lengthBytes, byte kind) {
    replies.decrementAndGet();
    replyBytes.addAndGet(-lengthBytes);
    exchangeLeft(kind);
    freed.more();
  }

  /** Whether one more exchange may wait, which then counts. */
  boolean tryAddExchange() {
    if (exchanges.get() >= MAX_EXCHANGES) {
      return false;
    }
    exchanges.incrementAndGet();
    return true;
  }

  /** Something has left at once: if it was an exchange, that waits no longer. */
  void exchangeLeft(byte kind) {
    if (kind == Frame.NODES) {
      exchanges.decrementAndGet();
    }
  }

  /** Threads that wait look again, and find that nothing more is accepted. */
  void end() {
    freed.more();
  }
}
