// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What happened at one {@link Handshaker} since it opened. Written by its threads, read by any.
 * Things that strangers can cause at will are counted here and never logged.
 */
public final class HandshakeCounters {
  /** One number and what it means. */
  public enum Counter {
    /** Accepted TCP connections. */
    ACCEPTED("TCP connections accepted"),
    /** Accepts the system refused. */
    ACCEPT_FAILED("accepts that failed, as when file descriptors have run out"),
    /** Silent connections pushed out by newer ones. */
    EVICTED("connections dropped without a HELLO or QUERY because newer ones needed the place"),
    /** Connections without a HELLO in time. */
    HELLO_TIMED_OUT("connections dropped because their HELLO, QUERY or proof did not come in time"),
    /** Connections that ended without a HELLO. */
    LEFT_SILENT("connections that their peer ended before its HELLO or QUERY was whole"),
    /** Queue pairs offered. */
    OFFERED("queue pairs offered to peers"),
    /** Offers that came to nothing. */
    ABANDONED("queue pairs offered in vain and given back"),
    /** Accepted handshakes that succeeded. */
    ESTABLISHED_INBOUND("accepted handshakes that succeeded"),
    /** Questions answered. */
    TOLD("times that a peer asked for the handle and was told"),
    /** Questions asked. */
    ASKS("times that a peer was to be asked for its handle"),
    /** Questions answered by peers. */
    LEARNED("times that a peer asked for its handle told it"),
    /** Connects asked for. */
    CONNECTS("connects asked for"),
    /** TCP connections dialled. */
    DIALED("TCP connections dialled to connect or ask, retries included"),
    /** Connects that needed no TCP connection of their own. */
    REUSED("connects begun on a TCP connection that was kept from an earlier one"),
    /** Kept connections that were gone. */
    REUSED_IN_VAIN("such connects begun anew, for the peer had ended the connection by then"),
    /** Further attempts. */
    RETRIED("connects and questions tried again after the peer dropped them or was busy"),
    /** Connects that succeeded. */
    ESTABLISHED_OUTBOUND("connects that succeeded"),
    /** Sockets open now. */
    OPEN_CONNECTIONS("TCP connections open now, both directions"),
    /** Kept connections now. */
    KEPT("TCP connections that wait for another handshake now, both directions"),
    /** Half-open now. */
    HALF_OPEN("accepted handshakes that hold a place for a queue pair now"),
    /** In line now. */
    IN_LINE("accepted HELLOs waiting for such a place now"),
    /** Connects not finished. */
    CONNECTING("connects and questions not finished now");

    private final String sentence;

    Counter(String sentence) {
      this.sentence = sentence;
    }

    /** What is counted, for people. */
    public String sentence() {
      return sentence;
    }
  }

  private final AtomicLongArray events = new AtomicLongArray(Counter.values().length);
  private final AtomicLongArray inboundFailures = new AtomicLongArray(Reason.values().length);
  private final AtomicLongArray outboundFailures = new AtomicLongArray(Reason.values().length);

  /** The value of one counter. */
  public long get(Counter counter) {
    return events.get(counter.ordinal());
  }

  /** How many accepted handshakes failed for this reason, whichever side said so. */
  public long inboundFailures(Reason reason) {
    return inboundFailures.get(reason.ordinal());
  }

  /** How many connects failed for this reason, whichever side said so; retried attempts not. */
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
