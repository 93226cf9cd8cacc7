// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A stream of messages on each of many connections, moved by one thread at each end: when a message
 * is over, the next one of its connection follows. The receiver has twice as many receives as the
 * sender has messages in flight, so that no message waits for one. After its last message each
 * connection carries as many short ones as there are receives, so that every receive ends. Used
 * once.
 */
final class ConnectionStreams {
  private static final int RECEIVES_PER_MESSAGE = 2;
  private static final long LIMIT_NS = Duration.ofSeconds(30).toNanos();

  private final PolledConnections connections;
  private final int messageBytes;
  private final int window;
  private final int slots;
  private final SequencedPayload[] payloads;
  private final long[] posted;
  private final long[] completed;
  private final boolean[] hasEnded;
  private long messages;
  private long inFlight;
  private long ends;
  private boolean stops;

  /**
   * @param bytes memory of all messages, {@link #memoryBytes}
   * @param window messages in flight on each connection
   * @param sends whether this end sends
   */
  ConnectionStreams(
      PolledConnections connections,
      ByteBuffer bytes,
      int messageBytes,
      int window,
      boolean sends) {
    this.connections = connections;
    this.messageBytes = messageBytes;
    this.window = window;
    this.slots = slots(window, sends);
    int count = connections.count();
    this.payloads = new SequencedPayload[count];
    this.posted = new long[count];
    this.completed = new long[count];
    this.hasEnded = new boolean[count];
    for (int i = 0; i < count; i++) {
      ByteBuffer part = bytes.slice(base(i), slots * messageBytes);
      payloads[i] = new SequencedPayload(part, slots, messageBytes, window);
    }
  }

  /** How many requests an end has in flight on each connection. */
  static int slots(int window, boolean sends) {
    return sends ? window : RECEIVES_PER_MESSAGE * window;
  }

  /** How much memory an end needs. */
  static int memoryBytes(int connections, int messageBytes, int window, boolean sends) {
    return Math.multiplyExact(connections, slots(window, sends) * messageBytes);
  }

  private int base(int connection) {
    return connection * slots * messageBytes;
  }

  private long offset(int connection) {
    return (long) base(connection) + payloads[connection].offset(posted[connection]);
  }

  /**
   * Sends until the clock stops, and then the messages that end the streams.
   *
   * @return measured until the last message has been sent
   */
  Measurement send(RunClock clock) throws TransportException {
    for (int i = 0; i < payloads.length; i++) {
      payloads[i].writeBodies();
    }
    boolean runs = clock.isRunning(System.nanoTime(), 0);
    for (int i = 0; i < payloads.length && runs; i++) {
      for (int k = 0; k < window; k++) {
        sendNext(i);
      }
    }
    while (runs) {
      poll(this::sent);
      runs = clock.isRunning(System.nanoTime(), messages);
    }
    stops = true;
    drain();
    Measurement measured = clock.measurement(System.nanoTime(), messages, 0);
    for (int k = 0; k < RECEIVES_PER_MESSAGE * window; k++) {
      for (int i = 0; i < payloads.length; i++) {
        payloads[i].writeEnd(posted[i]);
        post(i, SequencedPayload.BYTES);
      }
      drain();
    }
    return measured;
  }

  private void sent(int connection, long lengthBytes) throws TransportException {
    inFlight--;
    messages++;
    if (!stops) {
      sendNext(connection);
    }
  }

  private void sendNext(int connection) throws TransportException {
    payloads[connection].writeSequence(posted[connection]);
    post(connection, messageBytes);
  }

  private void post(int connection, int lengthBytes) throws TransportException {
    connections.post(connection, offset(connection), lengthBytes);
    posted[connection]++;
    inFlight++;
  }

  private void drain() throws TransportException {
    while (inFlight > 0) {
      poll(this::sent);
    }
  }

  /**
   * Receives until each connection has had its last message.
   *
   * @param clock of what is measured: it ends with the first connection that does, at the latest
   */
  Measurement receive(RunClock clock) throws TransportException {
    for (int i = 0; i < payloads.length; i++) {
      for (int k = 0; k < slots; k++) {
        receiveNext(i);
      }
    }
    while (inFlight > 0) {
      poll(this::received);
      if (messages > 0) {
        long now = System.nanoTime();
        clock.isRunning(now, messages);
        if (ends > 0) {
          clock.end(now, messages);
        }
      }
    }
    long verified = 0;
    for (SequencedPayload each : payloads) {
      verified += each.verified();
    }
    return clock.measurementToEnd(messages, verified);
  }

  /** Checks what has arrived, and posts another receive unless it was the last. */
  private void received(int connection, long lengthBytes) throws TransportException {
    inFlight--;
    hasEnded[connection] |=
        payloads[connection].verifyAndCheckEnd(completed[connection], lengthBytes);
    completed[connection]++;
    if (hasEnded[connection]) {
      ends++;
    } else {
      messages++;
      receiveNext(connection);
    }
  }

  private void receiveNext(int connection) throws TransportException {
    payloads[connection].clearIfVerified(posted[connection]);
    post(connection, messageBytes);
  }

  private void poll(PolledConnections.Completion completion) throws TransportException {
    if (connections.poll(completion, LIMIT_NS) > 0) {
      return;
    }
    long deadline = System.nanoTime() + LIMIT_NS;
    while (connections.poll(completion, LIMIT_NS) == 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("nothing for " + Duration.ofNanos(LIMIT_NS));
      }
    }
  }
}
