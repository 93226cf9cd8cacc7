// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

/**
 * What two ends do with each other.
 *
 * @param kind in which directions messages go
 * @param messageBytes of each, 8 or more: a number is in each
 * @param window messages in flight at once, 1 to 64
 * @param waiting how an end waits for a message
 */
public record Workload(Kind kind, int messageBytes, int window, Waiting waiting) {
  /** Which way. */
  public enum Kind {
    /** From the initiator to the other, as many as possible. */
    STREAM,
    /** There and back, one at a time. */
    PING_PONG
  }

  /** How. */
  public enum Waiting {
    /** Busy poll: burns a core. */
    SPIN,
    /** Sleeps until the kernel wakes it, or as the library's settings prescribe. */
    PARK
  }

  public Workload {
    if (messageBytes < SequencedPayload.BYTES || window < 1 || window > 64) {
      throw new IllegalArgumentException(
          "%d bytes, window %d: at least %d bytes, and 1 to 64 at once"
              .formatted(messageBytes, window, SequencedPayload.BYTES));
    }
  }

  /** One after the other, as fast as they go. */
  public static Workload stream(int messageBytes, int window) {
    return new Workload(Kind.STREAM, messageBytes, window, Waiting.PARK);
  }

  /** There and back. */
  public static Workload pingPong(int messageBytes, Waiting waiting) {
    return new Workload(Kind.PING_PONG, messageBytes, 1, waiting);
  }
}
