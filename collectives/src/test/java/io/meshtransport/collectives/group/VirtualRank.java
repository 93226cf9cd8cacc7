// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.exec.Peers;
import io.meshtransport.spi.TransportException;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What the program of one rank does in virtual time: it joins a group, prepares its operations one
 * after the other, and runs each several times with pauses, until all are done or the group has
 * failed. One thread.
 */
final class VirtualRank {
  private static final int RUNS = 3;
  private static final long MAX_PAUSE_NS = 20_000_000;

  /** JOINING -> (PREPARING -> (PAUSING -> RUNNING)*)* -> DONE, and from each to FAILED. */
  enum State {
    JOINING,
    PREPARING,
    PAUSING,
    RUNNING,
    DONE,
    FAILED
  }

  private final VirtualEpoch epoch;
  private final VirtualNetwork network;
  private final int rank;
  private final LocalRank member;
  private final Runnable onFailure;
  private final int[] links;

  /** So many of them are there. */
  private int linked;

  private State state = State.JOINING;
  private Peers peers;
  private int operation;

  /** The round of reports in which the ranks say how far they are. */
  private int round;

  private int run;
  private CollectiveException failure;
  private long failedAtNs;

  /** Enters its group. */
  VirtualRank(VirtualEpoch epoch, VirtualNetwork network, int rank, Runnable onFailure) {
    this.epoch = epoch;
    this.network = network;
    this.rank = rank;
    this.onFailure = onFailure;
    try {
      member =
          new LocalRank(
              epoch.membership(rank),
              new MemberLinks(network.transport(node(), this::turn), epoch.size()));
    } catch (TransportException e) {
      throw new AssertionError(e);
    }
    links =
        IntStream.range(0, epoch.size())
            .flatMap(
                other ->
                    Arrays.stream(epoch.graph().cables(rank, other))
                        .map(cable -> member.links().number(other, cable)))
            .toArray();
    member.rounds().tell(RoundKind.JOIN, new byte[0]);
    // A rank alone has nothing else to wait for.
    network.clock().in(0, this::turn);
  }

  int node() {
    return epoch.nodes().get(rank);
  }

  LocalRank member() {
    return member;
  }

  State state() {
    return state;
  }

  /** Null for one that has not failed. */
  CollectiveException failure() {
    return failure;
  }

  long failedAtNs() {
    return failedAtNs;
  }

  /** Reports how far it is, as if its deadline were near. */
  void report() {
    member.lock();
    try {
      round = member.reports().beginRound(operation);
    } finally {
      member.unlock();
    }
  }

  /** Of the operation that it runs. */
  Stragglers stragglers() {
    member.lock();
    try {
      return member.reports().stragglers(operation, round);
    } finally {
      member.unlock();
    }
  }

  /** Something has come, or is due. */
  void turn() {
    if (network.isDead(node())) {
      return;
    }
    member.lock();
    try {
      member.poll();
      while (state != State.FAILED && advance()) {
        // One thing follows the other.
      }
    } catch (CollectiveException e) {
      state = State.FAILED;
      failure = e;
      failedAtNs = network.clock().nowNs();
      onFailure.run();
    } finally {
      member.unlock();
    }
  }

  private boolean advance() throws CollectiveException {
    member.check();
    return switch (state) {
      case JOINING -> hasLinks() && isRoundOver() && joined();
      case PREPARING -> isRoundOver() && prepared();
      case RUNNING -> member.isDone(operation) && ran();
      default -> false;
    };
  }

  /** Records may have gone round over others' cables. */
  private boolean hasLinks() {
    while (linked < links.length && member.links().has(links[linked])) {
      linked++;
    }
    return linked == links.length;
  }

  private boolean isRoundOver() throws CollectiveException {
    boolean isOver = member.rounds().advance();
    if (isOver) {
      member.rounds().end();
    }
    return isOver;
  }

  private boolean joined() {
    member.links().share(epoch.graph(), rank);
    return prepare();
  }

  private boolean prepare() {
    if (operation == epoch.operations().size()) {
      state = State.DONE;
      return false;
    }
    peers = epoch.add(operation, rank, member);
    member.rounds().tell(RoundKind.PREPARE, new byte[] {(byte) operation});
    state = State.PREPARING;
    return true;
  }

  private boolean prepared() {
    epoch.open(operation, peers);
    member.engine().open(operation);
    return pause();
  }

  private boolean pause() {
    state = State.PAUSING;
    network.clock().in(network.upTo(MAX_PAUSE_NS), this::start);
    return false;
  }

  private void start() {
    if (state == State.PAUSING && !network.isDead(node())) {
      member.lock();
      try {
        epoch.clear(operation, rank);
        member.start(operation);
        state = State.RUNNING;
      } catch (CollectiveException e) {
        // The turn finds it.
      } finally {
        member.unlock();
      }
      turn();
    }
  }

  private boolean ran() {
    epoch.check(operation, rank, this::toString);
    run++;
    if (run < RUNS) {
      return pause();
    }
    run = 0;
    operation++;
    return prepare();
  }

  @Override
  public String toString() {
    String missing =
        state == State.RUNNING ? ", waits for " + member.engine().missing(operation) : "";
    return "node %d, rank %d of %s, %s in run %d of operation %d%s"
        .formatted(node(), rank, epoch.nodes(), state, run, operation, missing);
  }
}
