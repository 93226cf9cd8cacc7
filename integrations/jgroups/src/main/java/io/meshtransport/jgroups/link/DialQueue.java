// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Scheduler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Nodes of which there is nothing but hearsay, or an answer to a question: which of them to dial
 * next. A few at a time, and fewer of one teller, so that what one stranger tells of costs little
 * and keeps no other waiting; each again and again, at growing pauses, for as long as it is
 * hearsay. Any thread may call it; nothing here blocks.
 */
public final class DialQueue {
  /** Dials under way at once: each has a thread. */
  public static final int MAX_CONCURRENT = 16;

  /** Of these, for the hearsay of one teller. */
  static final int MAX_PER_SOURCE = 4;

  /** Pauses between two dials of one node, milliseconds: doubles from the first to the longest. */
  static final long FIRST_PAUSE_MS = 200;

  static final long MAX_PAUSE_MS = 2_000;

  /**
   * So many dials follow each other at the first pause once cables have changed: a peer sees its
   * end of a cable up to a second later than this node.
   */
  static final int QUICK_DIALS = 10;

  /** Nodes that answered and of which nobody told; more are not tried until others are done. */
  static final int MAX_ANSWERED = 256;

  /** Dials. */
  interface Dial {
    /** Opens a link to a node; its end is told by {@link #dialEnded}. Never blocks. */
    void dial(String id, byte[] handle);
  }

  private static final class Candidate {
    final String source;
    byte[] handle;
    boolean isUnderWay;
    boolean isPausing;
    boolean isReached;
    int failures;
    int quickDials;

    /** Stands for the pause that it is in. */
    Object pause;

    Candidate(String teller, byte[] handle) {
      this.source = teller;
      this.handle = handle;
    }
  }

  private record Due(String id, byte[] handle) {}

  private final Dial dial;
  private final Scheduler scheduler;
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();
  private boolean closed;

  DialQueue(Dial dial, Scheduler later) {
    this.dial = dial;
    this.scheduler = later;
  }

  /**
   * A node is to be tried; nothing happens if it is one already, but its handle may be newer.
   *
   * @param teller by its id, whose hearsay the node is; empty for one that answered a question
   */
  void add(String id, byte[] handle, String teller) {
    synchronized (this) {
      if (!candidates.containsKey(id) && teller.isEmpty() && answered() >= MAX_ANSWERED) {
        return;
      }
      Candidate trial = candidates.computeIfAbsent(id, missing -> new Candidate(teller, handle));
      trial.handle = handle;
    }
    next();
  }

  private long answered() {
    return candidates.values().stream().filter(trial -> trial.source.isEmpty()).count();
  }

  /** A node is not to be tried any more: it was met, or is not known any more. */
  void remove(String id) {
    synchronized (this) {
      candidates.remove(id);
    }
    next();
  }

  synchronized boolean contains(String id) {
    return candidates.containsKey(id);
  }

  /** Whether a node is tried for what others say of it. */
  synchronized boolean isGossip(String id) {
    Candidate trial = candidates.get(id);
    return trial != null && !trial.source.isEmpty();
  }

  /** Whether some have not been dialled to an end yet, and were not reached either. */
  synchronized boolean hasUntried() {
    return candidates.values().stream().anyMatch(trial -> trial.failures == 0 && !trial.isReached);
  }

  /** A dial has reached the node; whether it is of use its introduction will show. */
  synchronized void reached(String id) {
    Candidate trial = candidates.get(id);
    if (trial != null) {
      trial.isReached = true;
    }
  }

  /** A dial is over: it failed, or was of no use. The node is tried again after a pause. */
  void dialEnded(String id) {
    synchronized (this) {
      Candidate trial = candidates.get(id);
      if (trial == null || !trial.isUnderWay) {
        return;
      }
      trial.isUnderWay = false;
      trial.isPausing = true;
      Object pause = new Object();
      trial.pause = pause;
      int doublings = trial.quickDials > 0 ? 0 : Math.min(trial.failures, Byte.SIZE);
      long pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS << doublings);
      if (trial.quickDials > 0) {
        trial.quickDials--;
      }
      trial.failures++;
      scheduler.after(pauseMs, () -> paused(id, pause));
    }
    next();
  }

  private void paused(String id, Object pause) {
    synchronized (this) {
      Candidate trial = candidates.get(id);
      if (trial == null || trial.pause != pause) {
        return;
      }
      trial.isPausing = false;
    }
    next();
  }

  /** Something has changed: all that pause are tried at once, as if for the first time. */
  void retryNow() {
    synchronized (this) {
      for (Candidate trial : candidates.values()) {
        trial.isPausing = false;
        trial.failures = 0;
        trial.quickDials = QUICK_DIALS;
        trial.pause = null;
      }
    }
    next();
  }

  private void next() {
    List<Due> due = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      int underWay = 0;
      Map<String, Integer> ofTeller = new HashMap<>();
      for (Candidate trial : candidates.values()) {
        if (trial.isUnderWay) {
          underWay++;
          ofTeller.merge(trial.source, 1, Integer::sum);
        }
      }
      // Those that failed least often first: what never answers must not hold up what is new.
      List<Map.Entry<String, Candidate>> waiting = new ArrayList<>();
      candidates.entrySet().stream()
          .filter(entry -> !entry.getValue().isUnderWay && !entry.getValue().isPausing)
          .sorted((one, other) -> one.getValue().failures - other.getValue().failures)
          .forEach(waiting::add);
      for (Map.Entry<String, Candidate> entry : waiting) {
        Candidate trial = entry.getValue();
        if (underWay < MAX_CONCURRENT && ofTeller.getOrDefault(trial.source, 0) < MAX_PER_SOURCE) {
          underWay++;
          ofTeller.merge(trial.source, 1, Integer::sum);
          trial.isUnderWay = true;
          due.add(new Due(entry.getKey(), trial.handle));
        }
      }
    }
    due.forEach(one -> dial.dial(one.id(), one.handle()));
  }

  /** Tries nothing more. */
  synchronized void close() {
    closed = true;
    candidates.clear();
  }
}
