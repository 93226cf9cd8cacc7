// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of one {@link Handshaker} since it opened. Written by its threads, read by any. What
 * foreign software can cause at will is counted here and never logged.
 */
public final class HandshakeCounters {
  /** One counter. The names are meant for programs and stay the same from release to release. */
  public enum Counter {
    /** TCP connections accepted. */
    ACCEPTED("TCP connections accepted"),
    /** TCP connections that the system could not accept. */
    ACCEPT_FAILED("accepts that failed, such as when file descriptors have run out"),
    /** Connections dropped before their HELLO to make way for newer ones. */
    EVICTED("connections dropped without a HELLO or QUERY because too many newer ones came"),
    /** Connections whose HELLO did not come in time. */
    HELLO_TIMED_OUT("connections dropped because their HELLO, QUERY or proof did not come in time"),
    /** Connections that the peer closed before its HELLO was complete. */
    CLOSED_BEFORE_HELLO("connections that the peer closed before its HELLO or QUERY was complete"),
    /** Queue pairs offered. */
    OFFERED("queue pairs offered to peers"),
    /** Queue pairs offered whose connection was not established. */
    ABANDONED("queue pairs offered whose connection was not established"),
    /** Accepted handshakes that succeeded. */
    ESTABLISHED_INBOUND("accepted handshakes that succeeded"),
    /** Handle queries of peers that were answered. */
    QUERIES_ANSWERED("handle queries of peers that were answered"),
    /** Lookups begun. */
    LOOKUPS("lookups of a peer's handle begun"),
    /** Lookups that succeeded. */
    HANDLES_LEARNED("lookups that a peer answered with its handle"),
    /** Connects begun. */
    CONNECTS("connects begun"),
    /** TCP connections dialed. */
    DIALED("TCP connections dialed for connects and lookups, retries included"),
    /** Connects that needed no TCP connection of their own. */
    REUSED("connects begun on an idle TCP connection of an earlier one"),
    /** Idle connections that turned out to be closed when they were reused. */
    REUSE_FAILED("such connects begun anew because the peer had closed the connection"),
    /** Further attempts. */
    RETRIED("connects and lookups tried again after the peer dropped them or was busy"),
    /** Connects that succeeded. */
    ESTABLISHED_OUTBOUND("connects that succeeded"),
    /** TCP connections open now. */
    OPEN_CONNECTIONS("TCP connections open now, both directions", /* isCurrent= */ true),
    /** Idle TCP connections now. */
    IDLE_CONNECTIONS(
        "TCP connections kept open for another handshake now, both directions",
        /* isCurrent= */ true),
    /** Half-open handshakes now. */
    HALF_OPEN("accepted handshakes with a permit for a queue pair now", /* isCurrent= */ true),
    /** Accepted handshakes that wait for a permit now. */
    QUEUED("accepted HELLOs queued for such a permit now", /* isCurrent= */ true),
    /** Connects and lookups in progress now. */
    CONNECTING("connects and lookups in progress now", /* isCurrent= */ true);

    private final String description;
    private final boolean isCurrent;

    Counter(String description) {
      this(description, /* isCurrent= */ false);
    }

    Counter(String description, boolean isCurrent) {
      this.description = description;
      this.isCurrent = isCurrent;
    }

    /** What is counted, for people. */
    public String description() {
      return description;
    }

    /** Whether it says how many there are now, and not how many there have been. */
    public boolean isCurrent() {
      return isCurrent;
    }
  }

  private final AtomicLongArray events = new AtomicLongArray(Counter.values().length);
  private final AtomicLongArray inboundFailures = new AtomicLongArray(Reason.values().length);
  private final AtomicLongArray outboundFailures = new AtomicLongArray(Reason.values().length);

  /** The value of one counter. */
  public long get(Counter counter) {
    return events.get(counter.ordinal());
  }

  /** How many accepted handshakes failed for this reason, at whichever side it was noticed. */
  public long inboundFailures(Reason reason) {
    return inboundFailures.get(reason.ordinal());
  }

  /**
   * How many connects and lookups failed for this reason, at whichever side it was noticed; an
   * attempt that was retried does not count.
   */
  public long outboundFailures(Reason reason) {
    return outboundFailures.get(reason.ordinal());
  }

  /** All accepted handshakes that failed for a reason. */
  public long inboundFailures() {
    long sum = 0;
    for (Reason reason : Reason.values()) {
      sum += inboundFailures(reason);
    }
    return sum;
  }

  /** Every counter, in the enum's order: each read once, not all at the same instant. */
  public Map<Counter, Long> snapshot() {
    Map<Counter, Long> values = new EnumMap<>(Counter.class);
    for (Counter counter : Counter.values()) {
      values.put(counter, get(counter));
    }
    return values;
  }

  /** Every counter and every failure that is not zero, on one line. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ");
    snapshot().forEach((counter, value) -> append(text, counter.name(), value));
    for (Reason reason : Reason.values()) {
      append(text, "inbound " + reason, inboundFailures(reason));
      append(text, "outbound " + reason, outboundFailures(reason));
    }
    return text.toString();
  }

  private static void append(StringJoiner text, String name, long value) {
    if (value != 0) {
      text.add(name + " " + value);
    }
  }

  void count(Counter counter) {
    events.incrementAndGet(counter.ordinal());
  }

  void uncount(Counter counter) {
    events.decrementAndGet(counter.ordinal());
  }

  void countInboundFailure(Reason reason) {
    inboundFailures.incrementAndGet(reason.ordinal());
  }

  void countOutboundFailure(Reason reason) {
    outboundFailures.incrementAndGet(reason.ordinal());
  }
}
