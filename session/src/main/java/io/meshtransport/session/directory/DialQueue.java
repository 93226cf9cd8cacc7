// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Candidates to dial: nodes known by gossip alone, or by an answer to a query. Dials a few at a
 * time, and fewer of one source, so that the reports of one unverified node cost little and delay
 * no others; each candidate again and again, at growing pauses, until it is removed. Any thread may
 * call it; nothing here blocks.
 */
public final class DialQueue {
  /** Concurrent dials: each has a thread. */
  public static final int MAX_CONCURRENT = 16;

  /** Concurrent dials of nodes that one source reported. */
  static final int MAX_PER_SOURCE = 4;

  /** Pauses between two dials of one node, milliseconds: doubles from the first to the longest. */
  static final long FIRST_PAUSE_MS = 200;

  static final long MAX_PAUSE_MS = 2_000;

  /**
   * How many dials follow each other at the first pause once cables have changed: a peer sees its
   * end of a cable up to a second later than this node.
   */
  static final int QUICK_DIALS = 10;

  /**
   * Candidates that answered a query and that no node reported; more are not added until others are
   * removed.
   */
  static final int MAX_ANSWERED = 256;

  /** Dials. */
  interface Dial {
    /** Opens a link to a node; {@link #dialEnded} is called at its end. Never blocks. */
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

    /** Identifies the current pause of the dial. */
    Object pause;

    Candidate(String source, byte[] handle) {
      this.source = source;
      this.handle = handle;
    }
  }

  private record Due(String id, byte[] handle) {}

  private final Dial dial;
  private final Scheduler scheduler;
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();
  private boolean closed;

  DialQueue(Dial dial, Scheduler scheduler) {
    this.dial = dial;
    this.scheduler = scheduler;
  }

  /**
   * Adds a candidate; if it is one already, its handle is updated.
   *
   * @param source the id of the node that reported it; empty for one that answered a query
   */
  void add(String id, byte[] handle, String source) {
    synchronized (this) {
      if (!candidates.containsKey(id) && source.isEmpty() && answered() >= MAX_ANSWERED) {
        return;
      }
      Candidate trial = candidates.computeIfAbsent(id, missing -> new Candidate(source, handle));
      trial.handle = handle;
    }
    next();
  }

  private long answered() {
    return candidates.values().stream().filter(trial -> trial.source.isEmpty()).count();
  }

  /** Removes a candidate: it was introduced, or is known no more. */
  void remove(String id) {
    synchronized (this) {
      candidates.remove(id);
    }
    next();
  }

  synchronized boolean contains(String id) {
    return candidates.containsKey(id);
  }

  /** Whether a candidate is known by gossip. */
  synchronized boolean isGossip(String id) {
    Candidate trial = candidates.get(id);
    return trial != null && !trial.source.isEmpty();
  }

  /** Whether some candidates were neither reached nor dialled to an end yet. */
  synchronized boolean hasUntried() {
    return candidates.values().stream().anyMatch(trial -> trial.failures == 0 && !trial.isReached);
  }

  /** A dial has reached the node, which has not introduced itself yet. */
  synchronized void reached(String id) {
    Candidate trial = candidates.get(id);
    if (trial != null) {
      trial.isReached = true;
    }
  }

  /**
   * A dial has ended: it failed, or the node did not introduce itself. The node is dialled again
   * after a pause.
   */
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

  /** Cables have changed: all candidates are dialled at once, as if for the first time. */
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
      Map<String, Integer> ofSource = new HashMap<>();
      for (Candidate trial : candidates.values()) {
        if (trial.isUnderWay) {
          underWay++;
          ofSource.merge(trial.source, 1, Integer::sum);
        }
      }
      // Those that failed least often first: candidates that never answer must not delay new ones.
      List<Map.Entry<String, Candidate>> waiting = new ArrayList<>();
      candidates.entrySet().stream()
          .filter(entry -> !entry.getValue().isUnderWay && !entry.getValue().isPausing)
          .sorted((one, other) -> one.getValue().failures - other.getValue().failures)
          .forEach(waiting::add);
      for (Map.Entry<String, Candidate> entry : waiting) {
        Candidate trial = entry.getValue();
        if (underWay < MAX_CONCURRENT && ofSource.getOrDefault(trial.source, 0) < MAX_PER_SOURCE) {
          underWay++;
          ofSource.merge(trial.source, 1, Integer::sum);
          trial.isUnderWay = true;
          due.add(new Due(entry.getKey(), trial.handle));
        }
      }
    }
    due.forEach(one -> dial.dial(one.id(), one.handle()));
  }

  /** Dials nothing more. */
  synchronized void close() {
    closed = true;
    candidates.clear();
  }
}
