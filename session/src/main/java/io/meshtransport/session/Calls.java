// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The requests to one peer that wait for their replies. Any thread may call it. */
final class Calls {
  private final String peer;
  private final int max;
  private final Map<Long, Call> pending = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong lastId = new AtomicLong();

  /** Why no reply can come any more; null while one can. */
  private volatile TransportException closed;

  /**
   * @param max how many may wait at a time
   */
  Calls(String peer, int max) {
    this.peer = peer;
    this.max = max;
  }

  /**
   * A call begins. The caller ends it ({@link #end}), whatever comes of it.
   *
   * @param timeout from now on
   */
  Call begin(Duration timeout) throws TransportException {
    long deadlineNs = WaitTimes.endNs(timeout);
    int waiting = count.incrementAndGet();
    if (waiting > max) {
      count.decrementAndGet();
      throw new TransportException(
          Reason.BUSY,
          "%d calls to %s wait for their replies, the limit of maxCalls. Wait for some of them first, or allow more (SessionOptions.maxCalls)"
              .formatted(max, peer));
    }
    Call call = new Call(lastId.incrementAndGet(), timeout, deadlineNs, waiting > 1);
    pending.put(call.id, call);
    TransportException why = closed;
    if (why != null) {
      call.reply.completeExceptionally(why.copy());
    }
    return call;
  }

  /**
   * A call is over.
   *
   * @return whether it was not until now
   */
  boolean end(Call call) {
    boolean isNews = pending.remove(call.id, call);
    if (isNews) {
      count.decrementAndGet();
    }
    return isNews;
  }

  /**
   * A reply, or a {@link Frame#FAILURE}, has arrived. That of a call that is over is ignored: its
   * time had passed, or it was cancelled.
   *
   * @param message copied
   */
  void replied(byte kind, long id, ByteBuffer message) {
    Call call = pending.get(id);
    if (call == null || !end(call)) {
      return;
    }
    ByteBuffer copy = ByteBuffer.allocate(message.remaining());
    copy.put(message).flip();
    if (kind == Frame.REPLY) {
      call.reply.complete(copy);
    } else {
      call.reply.completeExceptionally(
          new TransportException(
              Reason.REFUSED, peer + " cannot answer: " + StandardCharsets.UTF_8.decode(copy)));
    }
  }

  /**
   * Fails the calls whose deadline has passed.
   *
   * @param why for one that has passed
   * @return the earliest deadline of the others; Long.MAX_VALUE if there are none
   */
  long expire(long nowNs, Function<Call, TransportException> why) {
    long nextNs = Long.MAX_VALUE;
    for (Call each : pending.values()) {
      if (each.reply.isDone()) {
        continue;
      }
      if (each.deadlineNs - nowNs <= 0) {
        each.reply.completeExceptionally(why.apply(each));
      } else {
        nextNs = Math.min(nextNs, each.deadlineNs);
      }
    }
    return nextNs;
  }

  /** The connection that they were sent over is gone, and with it their replies. */
  void fail(Link gone, TransportException why) {
    List<Call> lost = new ArrayList<>();
    for (Call each : pending.values()) {
      if (each.link == gone) {
        lost.add(each);
      }
    }
    lost.forEach(each -> each.reply.completeExceptionally(why.copy()));
  }

  /** No reply will come any more. */
  void close(TransportException why) {
    closed = why;
    pending.values().forEach(each -> each.reply.completeExceptionally(why.copy()));
  }
}
