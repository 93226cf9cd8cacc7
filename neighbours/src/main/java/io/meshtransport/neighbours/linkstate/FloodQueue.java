// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.handshake.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which records a neighbour must still get: each until it is acknowledged, in the order they came,
 * at most {@value #MAX_IN_FLIGHT} sent and not acknowledged at once. Has ids only, so a record that
 * is superseded is sent in its newest version.
 */
final class FloodQueue {
  /** So that a burst fits the receive buffer of a socket: 16 records of 4 KiB. */
  static final int MAX_IN_FLIGHT = 16;

  /** A record that is not acknowledged is sent again after this long. */
  static final long RESEND_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long NOT_SENT = -1;

  /** When each was sent last. */
  private final Map<NodeId, Long> sentNs = new LinkedHashMap<>();

  private int inFlight;

  /** When the last summary was sent; before all time if none was. */
  private long summarizedNs = Long.MIN_VALUE / 2;

  /** When a summary is to be sent that had to wait; after all time if none has to. */
  private long summaryDueNs = Long.MAX_VALUE;

  /** The record of this node has changed, or the neighbour does not have it. */
  void add(NodeId node) {
    remove(node);
    sentNs.put(node, NOT_SENT);
  }

  /** Whether the record is to be sent, or sent and not acknowledged. */
  boolean has(NodeId node) {
    return sentNs.containsKey(node);
  }

  /** The neighbour has the newest record of this node. */
  void remove(NodeId node) {
    Long was = sentNs.remove(node);
    if (was != null && was != NOT_SENT) {
      inFlight--;
    }
  }

  /** One to send now. */
  record Due(NodeId node, boolean isRepeated) {}

  /** What is to be sent now; counts as sent. */
  List<Due> due(long nowNs) {
    List<Due> due = new ArrayList<>();
    for (Map.Entry<NodeId, Long> each : sentNs.entrySet()) {
      boolean isRepeated = each.getValue() != NOT_SENT;
      if (isRepeated ? nowNs - each.getValue() >= RESEND_NS : inFlight < MAX_IN_FLIGHT) {
        inFlight += isRepeated ? 0 : 1;
        each.setValue(nowNs);
        due.add(new Due(each.getKey(), isRepeated));
      }
    }
    return due;
  }

  /** When something is to be sent. */
  long nextDueNs(long nowNs) {
    long nextNs = Math.max(nowNs, summaryDueNs);
    for (long each : sentNs.values()) {
      if (each != NOT_SENT) {
        nextNs = Math.min(nextNs, each + RESEND_NS);
      } else if (inFlight < MAX_IN_FLIGHT) {
        return nowNs;
      }
    }
    return nextNs;
  }

  /** Whether no summary was sent for so long; one is from now on. */
  boolean maySummarize(long pauseNs, long nowNs) {
    if (nowNs - summarizedNs < pauseNs) {
      return false;
    }
    summarizedNs = nowNs;
    summaryDueNs = Long.MAX_VALUE;
    return true;
  }

  /** A summary is to be sent as soon as the last one is so long ago. */
  void summarizeLater(long pauseNs) {
    summaryDueNs = summarizedNs + pauseNs;
  }

  /** Whether the time of a summary that had to wait has come. */
  boolean isSummaryDue(long nowNs) {
    return nowNs >= summaryDueNs;
  }
}
