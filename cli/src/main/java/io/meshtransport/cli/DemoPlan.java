package io.meshtransport.cli;

import io.meshtransport.topology.NodeCommand.Batch;
import java.util.List;

/** What every node of the demo sends to every peer. All numbers are per direction. */
final class DemoPlan {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** Every byte of these is checked; both directions of all pairs run at once. */
  static final List<Batch> EXCHANGE =
      List.of(
          new Batch(20, 0),
          new Batch(20, 1),
          new Batch(100, 4 * KIB),
          new Batch(10, MIB),
          new Batch(2, 64 * MIB));

  /** Room for the longest of them. */
  static final int BUFFER_BYTES = 64 * MIB;

  /** Round trips, one pair at a time; a JVM compiles the path during the first ones. */
  static final int PING_WARM_UPS = 1000;

  static final int PINGS = 1000;
  static final int PING_BYTES = 64;

  /** The stream that measures MB/s, one direction at a time: 256 MiB. */
  static final int STREAM_MESSAGES = 64;

  static final int STREAM_BYTES = 4 * MIB;
  static final int STREAM_DEPTH = 8;

  private DemoPlan() {}

  /** Messages that are checked: exchanged, pinged, and sent back to the peer's pings. */
  static long checkedMessages() {
    return exchangeMessages() + 2L * (PING_WARM_UPS + PINGS);
  }

  static long exchangeMessages() {
    return EXCHANGE.stream().mapToLong(Batch::count).sum();
  }

  static long exchangeBytes() {
    return EXCHANGE.stream().mapToLong(batch -> (long) batch.count() * batch.lengthBytes()).sum();
  }

  /** Bytes of the messages that are checked. */
  static long checkedBytes() {
    return exchangeBytes() + 2L * (PING_WARM_UPS + PINGS) * PING_BYTES;
  }

  /** All messages: those checked and the stream's. */
  static long allMessages() {
    return checkedMessages() + STREAM_MESSAGES;
  }

  /** Bytes of all messages. */
  static long allBytes() {
    return checkedBytes() + (long) STREAM_MESSAGES * STREAM_BYTES;
  }
}
