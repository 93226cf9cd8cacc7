// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.NodeCommand.Batch;
import java.util.List;

/**
 * What every node of a demo sends to every peer. All numbers are per direction.
 *
 * @param exchange messages whose every byte is checked; both directions of all pairs run at once
 * @param pingWarmUps round trips before those measured: a JVM compiles the path during the first
 *     ones
 * @param pings round trips, one pair at a time
 * @param streamMessages of the stream that measures MB/s, one direction at a time; at least {@link
 *     #STREAM_DEPTH}, as so many are under way
 */
record DemoPlan(List<Batch> exchange, int pingWarmUps, int pings, int streamMessages) {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  static final int PING_BYTES = 64;
  static final int STREAM_BYTES = 4 * MIB;
  static final int STREAM_DEPTH = 8;

  /** On this host: the stream is 256 MiB. */
  static final DemoPlan HOST = new DemoPlan(exchange(64 * MIB), 1000, 1000, 64);

  /**
   * In emulated guests, whose cables carry some 20 MB/s in all and where a round trip takes 10 ms:
   * messages of up to 8 MiB, streams of 32 MiB and 100 round trips, so that the triangle takes a
   * minute and not five.
   */
  static final DemoPlan LAB = new DemoPlan(exchange(8 * MIB), 20, 80, STREAM_DEPTH);

  DemoPlan {
    if (streamMessages < STREAM_DEPTH) {
      throw new IllegalArgumentException(
          streamMessages + " messages of a stream that has " + STREAM_DEPTH + " under way");
    }
    exchange = List.copyOf(exchange);
  }

  private static List<Batch> exchange(int longestBytes) {
    return List.of(
        new Batch(20, 0),
        new Batch(20, 1),
        new Batch(100, 4 * KIB),
        new Batch(10, MIB),
        new Batch(2, longestBytes));
  }

  /** Capacity for the longest message, and for the stream. */
  int bufferBytes() {
    return Math.max(longestBytes(), STREAM_DEPTH * STREAM_BYTES);
  }

  int longestBytes() {
    return exchange.stream().mapToInt(Batch::lengthBytes).max().orElseThrow();
  }

  /** Messages that are checked: exchanged, pinged, and sent back to the peer's pings. */
  long checkedMessages() {
    return exchangeMessages() + 2L * (pingWarmUps + pings);
  }

  long exchangeMessages() {
    return exchange.stream().mapToLong(Batch::count).sum();
  }

  long exchangeBytes() {
    return exchange.stream().mapToLong(batch -> (long) batch.count() * batch.lengthBytes()).sum();
  }

  /** Bytes of the messages that are checked. */
  long checkedBytes() {
    return exchangeBytes() + 2L * (pingWarmUps + pings) * PING_BYTES;
  }

  /** All messages: those checked and the stream's. */
  long allMessages() {
    return checkedMessages() + streamMessages;
  }

  /** Bytes of all messages. */
  long allBytes() {
    return checkedBytes() + (long) streamMessages * STREAM_BYTES;
  }
}
