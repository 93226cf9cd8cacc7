// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.FakeMemory;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;

/**
 * Rank 0 of two, which measures a cable of a known rate in virtual time; a test plays the other
 * end, which puts as many bytes in each turn as rank 0 does. What goes one way arrives in order, at
 * the rate of the cable, and has ended when it has arrived. One thread.
 */
final class PlayedCable implements PlayedNeighbour {
  /** Of a wait in which nothing happens: it does not depend on the time that really passes. */
  private static final long WAIT_NS = 10_000_000;

  final VirtualClock clock = new VirtualClock();
  final LocalRank rank;
  final RateProbe rates;

  /** Puts of rank 0, in all turns. */
  int puts;

  private final long bytesPerSecond;

  /** When the cable has carried all that it was given, in either direction. */
  private long freeNs;

  private int begins;

  /**
   * @param bytesPerSecond 0 for a cable that carries short messages alone
   */
  PlayedCable(long bytesPerSecond) throws TransportException {
    this.bytesPerSecond = bytesPerSecond;
    RegisteredMemory memory = new FakeMemory(2L * RateProbe.BULK_BYTES);
    rank = joined(new VirtualTurns(), memory);
    rates = new RateProbe(rank, memory, clock::nowNs);
    rates.target(RANK, new FakeMemory(2L * RateProbe.BULK_BYTES));
  }

  /** In so many nanoseconds. */
  Deadline deadline(long ns) {
    return new Deadline(clock.nowNs() + ns, clock::nowNs);
  }

  @Override
  public long send(ByteBuffer message) {
    RankMessage.decode(message, MEMBERS.size()).ifPresent(this::sent);
    return 0;
  }

  /** The neighbour is ready as soon as rank 0 is, and ends its puts when those have come. */
  private void sent(RankMessage message) {
    if (message.kind() == RankMessage.Kind.BULK_BEGIN && begins++ % 2 == 0) {
      clock.in(1, () -> rates.begins(RANK));
    } else if (message.kind() == RankMessage.Kind.BULK_END && bytesPerSecond > 0) {
      clock.in(Math.max(1, freeNs - clock.nowNs()), () -> rates.ends(RANK));
    }
  }

  /** The neighbour's put arrives when this one does. */
  @Override
  public long put() {
    puts++;
    if (bytesPerSecond > 0) {
      freeNs =
          Math.max(freeNs, clock.nowNs()) + RateProbe.BULK_BYTES * 1_000_000_000L / bytesPerSecond;
      clock.in(
          freeNs - clock.nowNs(),
          () -> {
            rates.putDone(RANK);
            rates.arrived(RANK);
          });
    }
    return 0;
  }

  /** One turn; answers how long it took. */
  long measure(boolean isWarm, Deadline deadline) throws Exception {
    long beginNs = clock.nowNs();
    rank.lock();
    try {
      rates.measure(RANK, isWarm, deadline);
    } finally {
      rank.unlock();
    }
    return clock.nowNs() - beginNs;
  }

  /** What is due happens while rank 0 waits, which then finds something that it has no use for. */
  private final class VirtualTurns extends TestPoller {
    @Override
    public void add(Connection connection) {}

    private final Connection nobodys = Fakes.of(Connection.class, (proxy, method, none) -> null);

    @Override
    public int poll(Completions into) {
      clock.step(WAIT_NS);
      into.clear();
      into.add(nobodys, CompletionKind.SENT, 0, -1, 0, null);
      return into.count();
    }

    @Override
    public int await(Completions into, long timeoutNs) {
      throw new UnsupportedOperationException("each poll finds something");
    }

    @Override
    public void wakeup() {}

    @Override
    public void close() {}
  }
}
