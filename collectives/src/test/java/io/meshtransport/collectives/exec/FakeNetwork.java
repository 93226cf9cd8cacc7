// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Links between the ranks of a test in one thread. Each direction of a link keeps its order;
 * otherwise a seed decides what happens next: the bytes of a put are read as late as they are
 * written, and the end of a put may be reported long after its notice.
 */
final class FakeNetwork {
  private final Random random;
  private final int maxPuts;
  private final Engine[] engines;
  private final List<Direction> directions = new ArrayList<>();

  FakeNetwork(int size, int maxPuts, Random random) {
    this.random = random;
    this.maxPuts = maxPuts;
    engines = new Engine[size];
    for (int rank = 0; rank < size; rank++) {
      engines[rank] = new Engine(new End(rank), rank);
    }
  }

  Engine engine(int rank) {
    return engines[rank];
  }

  /** Ranks that one waits for in an operation, directly or through others that wait. */
  TreeSet<Integer> waitsFor(int rank, int operation) {
    TreeSet<Integer> found = new TreeSet<>();
    ArrayDeque<Integer> next = new ArrayDeque<>(engines[rank].missing(operation));
    while (!next.isEmpty()) {
      int each = next.remove();
      if (found.add(each)) {
        next.addAll(engines[each].missing(operation));
      }
    }
    return found;
  }

  /** Only neighbours have directions to each other, one for each cable. */
  void join(int one, int other, int cables) {
    for (int cable = 0; cable < cables; cable++) {
      directions.add(new Direction(one, other, cable));
      directions.add(new Direction(other, one, cable));
    }
  }

  /** One thing happens; false if there is nothing. */
  boolean step() {
    List<Direction> busy = directions.stream().filter(Direction::isBusy).toList();
    if (busy.isEmpty()) {
      return false;
    }
    busy.get(random.nextInt(busy.size())).step();
    return true;
  }

  /** Until nothing happens any more. */
  void settle() {
    while (step()) {
      // What happens next may begin more.
    }
  }

  private record Piece(FakeMemory from, long fromAt, long length, FakeMemory to, long toAt) {
    void copy() {
      to.bytes.put((int) toAt, from.bytes, (int) fromAt, (int) length);
    }
  }

  private record Put(List<Piece> pieces, int notice, long userData) {}

  private final class Direction {
    private final int from;
    private final int to;
    private final int cable;
    private final ArrayDeque<Put> waiting = new ArrayDeque<>();
    private final ArrayDeque<Put> arrived = new ArrayDeque<>();

    Direction(int from, int to, int cable) {
      this.from = from;
      this.to = to;
      this.cable = cable;
    }

    boolean isBusy() {
      return !waiting.isEmpty() || !arrived.isEmpty();
    }

    void step() {
      boolean delivers = arrived.isEmpty() || !waiting.isEmpty() && random.nextBoolean();
      if (delivers) {
        Put put = waiting.remove();
        put.pieces.forEach(Piece::copy);
        arrived.add(put);
        if (!engines[to].notice(from, put.notice)) {
          throw new AssertionError("rank %d refuses %08x of %d".formatted(to, put.notice, from));
        }
        if (random.nextBoolean()) {
          engines[to].advance();
        } else {
          // As if the rank got several at once.
          pending.add(to);
        }
      } else {
        engines[from].putDone(arrived.remove().userData);
        engines[from].advance();
      }
      if (!pending.isEmpty() && random.nextInt(4) == 0 || !isAnyBusy()) {
        pending.forEach(rank -> engines[rank].advance());
        pending.clear();
      }
    }
  }

  private final List<Integer> pending = new ArrayList<>();

  private boolean isAnyBusy() {
    return directions.stream().anyMatch(Direction::isBusy);
  }

  /**
   * @param link a rank, plus the number of ranks for each cable before it
   */
  private Direction direction(int from, int link) {
    int to = link % engines.length;
    int cable = link / engines.length;
    return directions.stream()
        .filter(each -> each.from == from && each.to == to && each.cable == cable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no link from " + from + " to " + to));
  }

  private final class End implements Links {
    private final int rank;
    private final List<Piece> pieces = new ArrayList<>();

    End(int rank) {
      this.rank = rank;
    }

    @Override
    public int link(int neighbour, int stream) {
      long cables =
          directions.stream().filter(each -> each.from == rank && each.to == neighbour).count();
      return neighbour + stream % (int) cables * engines.length;
    }

    @Override
    public boolean canPut(int to) {
      Direction way = direction(rank, to);
      return way.waiting.size() + way.arrived.size() < maxPuts;
    }

    @Override
    public void add(
        RegisteredMemory from,
        long fromOffsetBytes,
        long lengthBytes,
        RemoteMemory target,
        long toOffsetBytes) {
      FakeMemory local = (FakeMemory) from;
      FakeMemory remote = (FakeMemory) target;
      if (lengthBytes < 0
          || fromOffsetBytes + lengthBytes > local.bytes.capacity()
          || toOffsetBytes + lengthBytes > remote.bytes.capacity()) {
        throw new AssertionError("outside of memory");
      }
      pieces.add(new Piece(local, fromOffsetBytes, lengthBytes, remote, toOffsetBytes));
    }

    @Override
    public void put(int to, int notice, long userData) {
      if (!canPut(to)) {
        throw new AssertionError("rank " + rank + " has too many puts to " + to);
      }
      direction(rank, to).waiting.add(new Put(List.copyOf(pieces), notice, userData));
      pieces.clear();
    }
  }
}
