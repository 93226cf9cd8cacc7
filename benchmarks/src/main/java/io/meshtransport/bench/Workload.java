// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

/**
 * What two ends do with each other.
 *
 * @param kind in which directions messages go
 * @param messageBytes of each, 8 or more: a number is in each
 * @param window messages in flight at once on each connection, 1 to 64; of calls, the threads that
 *     call
 * @param waiting how an end waits for a message
 * @param connections between the two ends, 1 to 4096
 * @param messageLimit how many messages make a run; 0 if the run has a duration instead
 */
public record Workload(
    Kind kind, int messageBytes, int window, Waiting waiting, int connections, long messageLimit) {
  /** In which directions. */
  public enum Kind {
    /** From the initiator to the responder, as many as possible. */
    STREAM,
    /** There and back, one at a time. */
    PING_PONG,
    /** Request and reply: each of several threads waits for its reply before its next request. */
    CALLS
  }

  /** How. */
  public enum Waiting {
    /** Busy poll: burns a core. */
    SPIN,
    /** Sleeps until the kernel wakes it, or as the library's settings prescribe. */
    PARK
  }

  private static final int MAX_WINDOW = 64;
  private static final int MAX_CONNECTIONS = 4096;

  public Workload {
    if (messageBytes < SequencedPayload.BYTES || window < 1 || window > MAX_WINDOW) {
      throw new IllegalArgumentException(
          "%d bytes, window %d: at least %d bytes, and 1 to %d at once"
              .formatted(messageBytes, window, SequencedPayload.BYTES, MAX_WINDOW));
    }
    if (connections < 1 || connections > MAX_CONNECTIONS) {
      throw new IllegalArgumentException(
          "connections: %d is outside 1..%d".formatted(connections, MAX_CONNECTIONS));
    }
    if (messageLimit < 0) {
      throw new IllegalArgumentException("message limit: " + messageLimit + " is below 0");
    }
  }

  /** One after the other, as fast as they go. */
  public static Workload stream(int messageBytes, int window) {
    return new Workload(Kind.STREAM, messageBytes, window, Waiting.PARK, 1, 0);
  }

  /** There and back. */
  public static Workload pingPong(int messageBytes, Waiting waiting) {
    return new Workload(Kind.PING_PONG, messageBytes, 1, waiting, 1, 0);
  }

  /** Request and reply, of the same length. */
  public static Workload calls(int messageBytes, int threads) {
    return new Workload(Kind.CALLS, messageBytes, threads, Waiting.PARK, 1, 0);
  }

  /** The same on each of as many connections. */
  public Workload onConnections(int count) {
    return new Workload(kind, messageBytes, window, waiting, count, messageLimit);
  }

  /** The same until so many messages are over. */
  public Workload limitedTo(long messages) {
    return new Workload(kind, messageBytes, window, waiting, connections, messages);
  }
}
