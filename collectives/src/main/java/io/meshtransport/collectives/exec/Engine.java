// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.Arrays;
import java.util.TreeSet;

/**
 * The operations of one rank, and what happens to each when a put ends or a notice comes. One
 * thread at a time.
 */
public final class Engine {
  /** Max operations of a group at once. */
  public static final int MAX_OPERATIONS = Notice.MAX_OPERATIONS;

  /** No operation. */
  public static final int NONE = -1;

  private final Links links;
  private final int rank;
  private Operation[] operations = new Operation[8];
  private boolean[] isOpen = new boolean[8];
  private long[] starts = new long[8];

  /** An engine without operations. */
  public Engine(Links links, int rank) {
    this.links = links;
    this.rank = rank;
  }

  /**
   * Adds an operation, which counts what comes for it and does nothing yet.
   *
   * @param id below {@link #MAX_OPERATIONS}, the same on all ranks
   */
  public void add(int id, Blueprint blueprint, Arithmetic arithmetic, Local local, Peers peers) {
    if (id >= operations.length) {
      int length = Math.max(id + 1, 2 * operations.length);
      operations = Arrays.copyOf(operations, length);
      isOpen = Arrays.copyOf(isOpen, length);
      starts = Arrays.copyOf(starts, length);
    }
    if (operations[id] != null) {
      throw new IllegalStateException("operation " + id + " is there already");
    }
    operations[id] = blueprint.operation(links, id, rank, arithmetic, local, peers);
    starts[id] = 0;
  }

  /** The keys of its peers are there: it may send. */
  public void open(int id) {
    isOpen[id] = true;
    operations[id].advance();
  }

  /** Whether there is such an operation. */
  public boolean has(int id) {
    return id < operations.length && operations[id] != null;
  }

  /** What comes for it from now on is ignored. */
  public void remove(int id) {
    operations[id] = null;
    isOpen[id] = false;
  }

  /** Starts a run. */
  public void start(int id) {
    starts[id]++;
    operations[id].start();
    operations[id].advance();
  }

  /** Runs of an operation that were started. */
  public long starts(int id) {
    return starts[id];
  }

  /** Whether the run is complete. */
  public boolean isDone(int id) {
    return operations[id].isDone();
  }

  /** Whether the run of any operation is not complete. */
  public boolean isRunning() {
    return running() != NONE;
  }

  /** The first operation whose run is not complete, or {@link #NONE}. */
  public int running() {
    for (int id = 0; id < operations.length; id++) {
      if (operations[id] != null && !operations[id].isDone()) {
        return id;
      }
    }
    return NONE;
  }

  /** Neighbours that an operation waits for. */
  public TreeSet<Integer> missing(int id) {
    TreeSet<Integer> ranks = new TreeSet<>();
    operations[id].missing(ranks);
    return ranks;
  }

  /** Neighbours that any operation waits for. */
  public TreeSet<Integer> missing() {
    TreeSet<Integer> ranks = new TreeSet<>();
    for (Operation each : operations) {
      if (each != null) {
        each.missing(ranks);
      }
    }
    return ranks;
  }

  /**
   * A neighbour's notice has come, behind the bytes that it is of.
   *
   * @return false if its operation does not allow it: from this rank, for this stream, or so many;
   *     nothing is changed then
   */
  public boolean notice(int from, int notice) {
    int id = Notice.operation(notice);
    return !has(id)
        || operations[id].notice(
            from, Notice.kind(notice), Notice.count(notice), Notice.stream(notice));
  }

  /** A put has ended. */
  public void putDone(long userData) {
    int id = PutTag.operation(userData);
    if (has(id)) {
      operations[id].putDone(PutTag.stream(userData), PutTag.way(userData));
    }
  }

  /** Does what is possible now; once after a number of notices and ends. */
  public void advance() {
    for (int id = 0; id < operations.length; id++) {
      if (isOpen[id]) {
        operations[id].advance();
      }
    }
  }
}
