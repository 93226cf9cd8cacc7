// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Transport;
import io.meshtransport.time.WaitTimes;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The limits of a session. Immutable: each method answers a changed copy. The lengths of slots and
 * messages must be the same on all nodes; a connection between nodes that differ is refused with a
 * text that says so.
 */
public final class SessionOptions {
  /** Shortest slot, in bytes. */
  public static final int MIN_SLOT_BYTES = 256;

  /** Longest slot, in bytes. */
  public static final int MAX_SLOT_BYTES = 1 << 24;

  /** Longest message of any session, in bytes. */
  public static final int MAX_MESSAGE_BYTES = 1 << 30;

  /**
   * Slots of 16 KiB, 256 to send and 16 to receive from each peer; queues of 256 frames in which
   * senders wait; messages of up to 64 MiB.
   */
  public static final SessionOptions DEFAULT = new SessionOptions();

  private String name = "";
  private int slotBytes = 16 << 10;
  private int sendSlots = 256;
  private int receives = 16;
  private int queueLength = 256;
  private QueuePolicy queuePolicy = QueuePolicy.WAIT;
  private int maxMessageBytes = 64 << 20;
  private int maxCalls = 4_096;
  private int maxPeers = 1_024;
  private Duration connectTimeout = Duration.ofSeconds(5);
  private Duration firstPause = Duration.ofMillis(100);
  private Duration maxPause = Duration.ofSeconds(5);

  private SessionOptions() {}

  private SessionOptions(SessionOptions from) {
    name = from.name;
    slotBytes = from.slotBytes;
    sendSlots = from.sendSlots;
    receives = from.receives;
    queueLength = from.queueLength;
    queuePolicy = from.queuePolicy;
    maxMessageBytes = from.maxMessageBytes;
    maxCalls = from.maxCalls;
    maxPeers = from.maxPeers;
    connectTimeout = from.connectTimeout;
    firstPause = from.firstPause;
    maxPause = from.maxPause;
  }

  private static long checked(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " is " + value + ", not " + min + " to " + max);
    }
    return value;
  }

  private static Duration checked(String name, Duration value) {
    long ms = TimeUnit.NANOSECONDS.toMillis(WaitTimes.nanos(value));
    if (ms < 1 || ms > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          name + " is " + value + ", not 1 ms to " + Integer.MAX_VALUE + " ms");
    }
    return value;
  }

  /**
   * The name by which peers know this session, in place of the node's own: for programs that have
   * names of their own, or several sessions in one process. Each session of a mesh needs another.
   *
   * @param newName 1 to {@value Frame#MAX_NAME_BYTES} bytes of UTF-8
   */
  public SessionOptions name(String newName) {
    SessionOptions changed = new SessionOptions(this);
    changed.name = Frame.requireName(newName);
    return changed;
  }

  /**
   * How messages are cut.
   *
   * @param newSlotBytes what one slot carries, its header of {@value Frame#HEADER_BYTES} bytes
   *     included, {@value #MIN_SLOT_BYTES} to {@value #MAX_SLOT_BYTES}; a longer message goes in
   *     several
   * @param newMaxMessageBytes longest message, {@value #MIN_SLOT_BYTES} to {@value
   *     #MAX_MESSAGE_BYTES}
   */
  public SessionOptions lengths(int newSlotBytes, int newMaxMessageBytes) {
    SessionOptions changed = new SessionOptions(this);
    changed.slotBytes = (int) checked("slotBytes", newSlotBytes, MIN_SLOT_BYTES, MAX_SLOT_BYTES);
    changed.maxMessageBytes =
        (int) checked("maxMessageBytes", newMaxMessageBytes, MIN_SLOT_BYTES, MAX_MESSAGE_BYTES);
    return changed;
  }

  /**
   * How many slots there are.
   *
   * @param newSendSlots for what is on its way to all peers together, 2 to 65,536; registered when
   *     the session opens
   * @param newReceives memory for what a peer sends, in slots, while it is connected, 1 to {@link
   *     Transport#MAX_REQUESTS} - 1; messages shorter than a slot share one
   */
  public SessionOptions slots(int newSendSlots, int newReceives) {
    SessionOptions changed = new SessionOptions(this);
    changed.sendSlots = (int) checked("sendSlots", newSendSlots, 2, 1 << 16);
    changed.receives = (int) checked("receives", newReceives, 1, Transport.MAX_REQUESTS - 1);
    return changed;
  }

  /**
   * The queue to each peer, of messages that have not left.
   *
   * @param newLength frames in it, 1 to 1,048,576; a message is a frame for each slot's length that
   *     it has, so that one of 4 MiB is 257 of the default length. A message longer than the queue
   *     waits until at most half of it is taken
   * @param policy what happens to one more
   */
  public SessionOptions queue(int newLength, QueuePolicy policy) {
    SessionOptions changed = new SessionOptions(this);
    changed.queueLength = (int) checked("queueLength", newLength, 1, 1 << 20);
    changed.queuePolicy = Objects.requireNonNull(policy, "policy");
    return changed;
  }

  /** Requests to one peer that wait for their reply, 1 to 1,048,576; one more is BUSY. */
  public SessionOptions maxCalls(int newMaxCalls) {
    SessionOptions changed = new SessionOptions(this);
    changed.maxCalls = (int) checked("maxCalls", newMaxCalls, 1, 1 << 20);
    return changed;
  }

  /** Peers of one session, 1 to 65,536; connections of further nodes are refused. */
  public SessionOptions maxPeers(int newMaxPeers) {
    SessionOptions changed = new SessionOptions(this);
    changed.maxPeers = (int) checked("maxPeers", newMaxPeers, 1, 1 << 16);
    return changed;
  }

  /**
   * When a connection that is down is opened again.
   *
   * @param newConnectTimeout until there is a connection, and again until the peer has welcomed it
   * @param newFirstPause after the first failed attempt; doubles with each
   * @param newMaxPause the longest pause between attempts; at least the first
   * @throws IllegalArgumentException for one of less than 1 ms, or of more than 24 days
   */
  public SessionOptions reconnect(
      Duration newConnectTimeout, Duration newFirstPause, Duration newMaxPause) {
    SessionOptions changed = new SessionOptions(this);
    changed.connectTimeout = checked("connectTimeout", newConnectTimeout);
    changed.firstPause = checked("firstPause", newFirstPause);
    changed.maxPause = checked("maxPause", newMaxPause);
    if (newMaxPause.compareTo(newFirstPause) < 0) {
      throw new IllegalArgumentException(
          "maxPause is " + newMaxPause + ", shorter than firstPause, " + newFirstPause);
    }
    return changed;
  }

  /** Empty for the node's own. */
  String name() {
    return name;
  }

  int slotBytes() {
    return slotBytes;
  }

  int sendSlots() {
    return sendSlots;
  }

  int receives() {
    return receives;
  }

  int queueLength() {
    return queueLength;
  }

  QueuePolicy queuePolicy() {
    return queuePolicy;
  }

  int maxMessageBytes() {
    return maxMessageBytes;
  }

  int maxCalls() {
    return maxCalls;
  }

  int maxPeers() {
    return maxPeers;
  }

  Duration connectTimeout() {
    return connectTimeout;
  }

  Duration firstPause() {
    return firstPause;
  }

  Duration maxPause() {
    return maxPause;
  }
}
