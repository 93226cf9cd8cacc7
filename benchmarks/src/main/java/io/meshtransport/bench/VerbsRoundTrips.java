// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.WorkCompletions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * One message there and back, again and again, by posts and polls alone: every receive is posted
 * ahead, as perftest posts them, one send in eight is reported, and by then the receives of the
 * eight before it are posted again with one call. A run ends with a lap's end, so that the next
 * finds all receives posted. One thread.
 */
final class VerbsRoundTrips {
  /** Messages that can be in flight to this end, each to a slot of its own. */
  static final int SLOTS = 64;

  static final int MAX_BYTES = 4096;

  /** Slots that messages come to, and behind them those that they leave from. */
  static final int MEMORY_BYTES = 2 * SLOTS * MAX_BYTES;

  private static final int GROUP = 8;
  private static final int OUT = SLOTS * MAX_BYTES;
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final QueuePair pair;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final MemoryRegion region;
  private final ByteBuffer incoming;
  private final ByteBuffer outgoing;
  private final int inlineBytes;
  private final SendChain chain;
  private final ReceiveChain receiveChain;
  private final WorkCompletions sent;
  private final WorkCompletions arrived;
  private int messageBytes;

  VerbsRoundTrips(
      QueuePair pair,
      CompletionQueue sends,
      CompletionQueue receives,
      MemoryRegion region,
      ByteBuffer memory) {
    this.pair = pair;
    this.sends = sends;
    this.receives = receives;
    this.region = region;
    incoming = memory.slice(0, OUT);
    outgoing = memory.slice(OUT, OUT);
    inlineBytes = pair.capabilities().inlineBytes();
    chain = pair.newSendChain(1);
    receiveChain = pair.newReceiveChain(GROUP);
    sent = sends.newCompletions(1);
    arrived = receives.newCompletions(1);
  }

  Measurement initiate(int bytes, RunClock watch) throws IOException {
    begin(bytes);
    SequencedPayload pings = new SequencedPayload(outgoing, SLOTS, bytes, SLOTS).writeBodies();
    SequencedPayload pongs = new SequencedPayload(incoming, SLOTS, bytes, SLOTS);
    long count = 0;
    long now = System.nanoTime();
    while (watch.isRunning(now, count)) {
      pings.writeSequence(count);
      send(count, OUT + pings.offset(count));
      if (pongs.verifyAndCheckEnd(count, await(receives, arrived))) {
        throw new IllegalStateException("round trip " + count + " ended the run from afar");
      }
      turn(count, pongs);
      long begin = now;
      now = System.nanoTime();
      watch.record(now - begin);
      count++;
    }
    for (long end = count; end < endOfLap(count); end++) {
      pings.writeEnd(end);
      send(end, OUT + pings.offset(end));
      await(receives, arrived);
      turn(end, pongs);
    }
    return watch.measurement(now, count, end(pongs));
  }

  Measurement respond(int bytes) throws IOException {
    begin(bytes);
    SequencedPayload pings = new SequencedPayload(incoming, SLOTS, bytes, SLOTS);
    long count = 0;
    while (!pings.verifyAndCheckEnd(count, await(receives, arrived))) {
      send(count, pings.offset(count));
      turn(count, pings);
      count++;
    }
    for (long end = count; end < endOfLap(count); end++) {
      if (end > count) {
        await(receives, arrived);
      }
      send(end, pings.offset(end));
      turn(end, pings);
    }
    return Measurement.ofResponder(count, end(pings));
  }

  private static long endOfLap(long count) {
    return (count / SLOTS + 1) * SLOTS;
  }

  private void begin(int bytes) {
    if (messageBytes == 0) {
      messageBytes = bytes;
      for (int slot = 0; slot < SLOTS; slot += GROUP) {
        postReceives(slot);
      }
    } else if (messageBytes != bytes) {
      throw new IllegalArgumentException(
          "receives of %d bytes are posted, not of %d".formatted(messageBytes, bytes));
    }
  }

  private void send(long sequence, int offset) {
    int flags = isLast(sequence) ? SendFlags.SIGNALED : 0;
    chain.clear();
    chain.begin(
        sequence, SendOpcode.SEND, messageBytes <= inlineBytes ? flags | SendFlags.INLINE : flags);
    chain.sge(region.address() + offset, messageBytes, region.localKey());
    requirePosted(pair.postSend(chain), "send");
  }

  /** After the last message of a group, that before it has long arrived: its slots are free. */
  private void turn(long sequence, SequencedPayload payload) throws IOException {
    long before = sequence - GROUP;
    if (isLast(sequence) && before >= 0) {
      await(sends, sent);
      renew(before, payload);
    }
  }

  private void renew(long last, SequencedPayload payload) {
    for (long sequence = last - GROUP + 1; sequence <= last; sequence++) {
      payload.clearIfVerified(sequence + SLOTS);
    }
    postReceives(last - GROUP + 1);
  }

  /** End of a run: all receives are posted again and have no data of that run. */
  private long end(SequencedPayload payload) throws IOException {
    await(sends, sent);
    for (int slot = 0; slot < SLOTS; slot++) {
      payload.clearIfVerified(slot);
    }
    postReceives(SLOTS - GROUP);
    return payload.verified();
  }

  private static boolean isLast(long sequence) {
    return sequence % GROUP == GROUP - 1;
  }

  private void postReceives(long first) {
    receiveChain.clear();
    for (long sequence = first; sequence < first + GROUP; sequence++) {
      int slot = (int) (sequence % SLOTS);
      receiveChain.begin(slot);
      receiveChain.sge(
          region.address() + (long) slot * messageBytes, messageBytes, region.localKey());
    }
    requirePosted(pair.postReceive(receiveChain), "receive");
  }

  private static void requirePosted(int errno, String what) {
    if (errno != 0) {
      throw new IllegalStateException("a " + what + " was refused with errno " + errno);
    }
  }

  /** Polls in a loop; returns the length. */
  private static long await(CompletionQueue queue, WorkCompletions batch) throws IOException {
    int count = queue.poll(batch);
    long deadline = count == 0 ? System.nanoTime() + LIMIT.toNanos() : 0;
    while (count == 0) {
      count = queue.poll(batch);
      if (count == 0 && System.nanoTime() - deadline > 0) {
        throw new IOException("nothing for " + LIMIT);
      }
    }
    if (count < 0) {
      throw new IOException("a poll answered errno " + -count);
    }
    if (batch.status(0) != CompletionStatus.SUCCESS) {
      throw new IOException("a request ended with " + batch.status(0));
    }
    return batch.lengthBytes(0);
  }
}
