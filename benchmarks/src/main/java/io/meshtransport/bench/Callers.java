// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Threads that call: each sends a request, sleeps until another thread has brought its reply, and
 * checks it. Requests are sent from slots that have their bodies already; replies are copied to the
 * memory of the thread that waits. The id of a call is in the first eight bytes of both; it says
 * which thread waits for it.
 */
final class Callers {
  private static final int MAX_SLOTS = 64;
  private static final long LIMIT_S = 30;

  private final int threads;
  private final int messageBytes;
  private final int slots;
  private final ByteBuffer requestBytes;
  private final ByteBuffer replyBytes;
  private final AtomicReferenceArray<CompletableFuture<Void>> pending;

  /** What requests are sent with. */
  interface Client {
    /**
     * Sends a request; its reply goes to {@link #replied} some time. Any thread.
     *
     * @param id whose {@link #offset} says where the request is
     */
    void send(long id) throws Exception;
  }

  /** One thread, and what it has measured. */
  private final class Caller {
    private final int index;
    private final RunClock clock;
    private final SequencedPayload replies;

    private Caller(int index, RunClock clock) {
      this.index = index;
      this.clock = clock;
      this.replies = new SequencedPayload(replyBytes, threads, messageBytes, slots);
    }

    private void run(Client client) throws Exception {
      SequencedPayload requests = new SequencedPayload(requestBytes, slots, messageBytes, slots);
      long count = 0;
      long now = System.nanoTime();
      while (clock.isRunning(now, count)) {
        long id = count * threads + index;
        replies.clearIfVerified(id);
        requests.writeSequence(id);
        CompletableFuture<Void> reply = new CompletableFuture<>();
        pending.set(index, reply);
        client.send(id);
        reply.get(LIMIT_S, TimeUnit.SECONDS);
        if (replies.verifyAndCheckEnd(id, messageBytes)) {
          throw new IllegalStateException("call " + id + " ended the run from afar");
        }
        long begin = now;
        now = System.nanoTime();
        clock.record(now - begin);
        count++;
      }
    }
  }

  /**
   * @param threads 1 to 64
   * @param requestBytes capacity for {@link #slots} requests
   */
  Callers(int threads, int messageBytes, ByteBuffer requestBytes) {
    this.threads = threads;
    this.messageBytes = messageBytes;
    this.slots = slots(threads);
    this.requestBytes = requestBytes;
    this.replyBytes = ByteBuffer.allocateDirect(threads * messageBytes);
    this.pending = new AtomicReferenceArray<>(threads);
    new SequencedPayload(requestBytes, slots, messageBytes, slots).writeBodies();
  }

  /** How many requests their memory has space for: a multiple of the threads, each has its own. */
  static int slots(int threads) {
    return MAX_SLOTS / threads * threads;
  }

  /** Where a request is in their memory. */
  int offset(long id) {
    return (int) (id % slots) * messageBytes;
  }

  ByteBuffer requestBytes() {
    return requestBytes;
  }

  int messageBytes() {
    return messageBytes;
  }

  /**
   * A reply has arrived: copies it and wakes the thread that waits for it. One thread at a time.
   *
   * @param offsetBytes where it begins
   */
  void replied(ByteBuffer bytes, int offsetBytes) {
    int index = (int) (bytes.getLong(offsetBytes) % threads);
    replyBytes.put(index * messageBytes, bytes, offsetBytes, messageBytes);
    pending.get(index).complete(null);
  }

  /** Whether a message is the one after which none comes. */
  static boolean isEnd(ByteBuffer bytes, int offsetBytes) {
    return bytes.getLong(offsetBytes) == SequencedPayload.END;
  }

  /** No reply will arrive any more. Any thread. */
  void failed(Throwable why) {
    for (int i = 0; i < threads; i++) {
      CompletableFuture<Void> one = pending.get(i);
      if (one != null) {
        one.completeExceptionally(why);
      }
    }
  }

  /**
   * Runs all threads until their clocks stop.
   *
   * @param clock of each, one copy
   * @throws IllegalStateException if a call failed
   */
  Measurement run(RunClock clock, Client client) throws InterruptedException {
    List<Caller> callers = new ArrayList<>();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Caller caller = new Caller(i, clock.copy());
      callers.add(caller);
      ends.add(start("mesh-bench-caller-" + i, () -> caller.run(client)));
    }
    for (CompletableFuture<Void> each : ends) {
      try {
        each.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException("a call failed: " + e.getCause(), e.getCause());
      }
    }
    long verified = callers.stream().mapToLong(caller -> caller.replies.verified()).sum();
    return RunClock.merge(callers.stream().map(caller -> caller.clock).toList(), verified);
  }

  /** What a thread runs. */
  interface Step {
    void run() throws Exception;
  }

  /** Runs a step on a thread of its own. */
  static CompletableFuture<Void> start(String name, Step step) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                step.run();
                end.complete(null);
              } catch (Throwable e) {
                end.completeExceptionally(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return end;
  }

  /** Waits for the thread that brings replies. */
  static void join(CompletableFuture<Void> end) throws InterruptedException {
    try {
      end.get(LIMIT_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("replies: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("the last reply has not arrived", e);
    }
  }
}
