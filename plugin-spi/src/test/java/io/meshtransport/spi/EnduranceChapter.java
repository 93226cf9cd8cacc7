// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.testing.AllocationCounter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Contract: the hot path makes no garbage, and closing leaves nothing behind. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class EnduranceChapter extends ContractChapter {
  private static final int MESSAGES_PER_ROUND = 4;
  private static final int PIECES = 20;

  /** Of tests in which one end waits for the other at each step. */
  private static final int SLOW_ROUNDS = 10_000;

  private static final int WARM_UP_ROUNDS = 10_000;
  private static final int ROUNDS = 100_000 / MESSAGES_PER_ROUND;

  /** Of connecting and closing; one in ten opens the nodes anew as well. */
  private static final int CYCLES = 300;

  /**
   * Bytes allowed per round: enough for what the JVM allocates now and then, but not for the
   * smallest object, which has 16.
   */
  private static final long SLACK = 4;

  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  @Test
  @Tag("slow")
  void shouldAllocateNothingOnceWarm() throws TransportException {
    AllocationCounter counter = AllocationCounter.ofThisThread();
    ChannelEnds ends = channel(1_024);
    ReceiveGroup group = new ReceiveGroup();
    long[] lengthsBytes = new long[Transport.MAX_GROUP];
    int rounds = contract().repetitions(ROUNDS);
    pass(ends, group, lengthsBytes, contract().repetitions(WARM_UP_ROUNDS));

    long allocatedBytes = counter.bytes(() -> pass(ends, group, lengthsBytes, rounds));

    assertTrue(allocatedBytes < SLACK * rounds, allocatedBytes + " bytes in " + rounds + " rounds");
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingForPutsAndGetsOnceWarm() throws TransportException {
    AllocationCounter counter = AllocationCounter.ofThisThread();
    ChannelEnds ends = channel(1_024);
    RegisteredMemory far =
        right.register(
            List.of(ByteBuffer.allocateDirect(1_024)), EnumSet.allOf(RemoteAccess.class));
    RemoteMemory remote = left.remoteMemory(far.remoteKey());
    TransferList list = new TransferList();
    int rounds = contract().repetitions(SLOW_ROUNDS);
    reach(ends, remote, list, contract().repetitions(WARM_UP_ROUNDS));

    long allocatedBytes = counter.bytes(() -> reach(ends, remote, list, rounds));
    assertTrue(allocatedBytes < SLACK * rounds, allocatedBytes + " bytes in " + rounds + " rounds");
  }

  /** Three requests a round: a put, a get, and a put of twenty pieces. */
  private static void reach(ChannelEnds ends, RemoteMemory remote, TransferList list, int rounds) {
    long none = SendChannel.NO_DEADLINE;
    for (int i = 0; i < rounds; i++) {
      long put = ends.out().iput(ends.source(), 0, 64, remote, 0, none);
      long get = ends.out().iget(ends.source(), 64, 64, remote, 0, PATIENCE.toNanos());
      list.clear();
      for (int piece = 0; piece < PIECES; piece++) {
        list.add(ends.source(), 8L * piece, 8, remote, 16L * piece);
      }
      long gathered = ends.out().iput(list, none);
      end(ends.out(), put, 64);
      end(ends.out(), get, 64);
      end(ends.out(), gathered, 8 * PIECES);
    }
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingForCopiedBuffersOnceWarm() throws TransportException {
    AllocationCounter counter = AllocationCounter.ofThisThread();
    ChannelEnds ends = channel(128);
    // For something else that never comes.
    long idle = ends.in().irecv(ends.sink(), 64, 64, 6);
    ByteBuffer[] buffers = {
      ByteBuffer.allocate(64),
      ByteBuffer.allocate(64),
      ByteBuffer.allocateDirect(64),
      ByteBuffer.allocateDirect(64)
    };
    int rounds = contract().repetitions(SLOW_ROUNDS);
    copy(ends, idle, buffers, contract().repetitions(WARM_UP_ROUNDS));

    long allocatedBytes = counter.bytes(() -> copy(ends, idle, buffers, rounds));
    assertTrue(allocatedBytes < SLACK * rounds, allocatedBytes + " bytes in " + rounds + " rounds");
  }

  /** Two messages a round: heap to heap, and direct to direct. */
  private static void copy(ChannelEnds ends, long idle, ByteBuffer[] buffers, int rounds) {
    for (int i = 0; i < rounds; i++) {
      for (int each = 0; each < buffers.length; each += 2) {
        long receive = ends.in().irecv(buffers[each], 5);
        long send = ends.out().isend(buffers[each + 1], 5);
        endBoth(ends, send, receive, idle);
      }
    }
  }

  /** Four messages a round: without and with a deadline, and two into a group. */
  private static void pass(ChannelEnds ends, ReceiveGroup group, long[] lengthsBytes, int rounds) {
    long ample = PATIENCE.toNanos();
    for (int i = 0; i < rounds; i++) {
      group.clear().add(ends.sink(), 128, 64, 3).add(ends.sink(), 256, 64, 4);
      long single = ends.in().irecv(ends.sink(), 0, 64, 1);
      long bounded = ends.in().irecv(ends.sink(), 64, 64, 2, ample);
      long grouped = ends.in().irecv(group, ample);
      long first = ends.out().isend(ends.source(), 0, 64, 1);
      long second = ends.out().isend(ends.source(), 0, 64, 2, ample);
      long third = ends.out().isend(ends.source(), 0, 64, 3);
      long fourth = ends.out().isend(ends.source(), 0, 64, 4);
      end(ends.out(), first, 64);
      end(ends.in(), single, 64);
      end(ends.out(), second, 64);
      end(ends.in(), bounded, 64);
      end(ends.out(), third, 64);
      end(ends.out(), fourth, 64);
      long sum;
      while ((sum = ends.in().test(grouped, lengthsBytes)) == Channel.PENDING) {
        Thread.onSpinWait();
      }
      check(sum, 128);
    }
  }

  /**
   * Looks at both ends in turn until both are over, so that neither waits for a thread of the
   * other's: the receiving end has its answer to give when it has its message.
   */
  private static void endBoth(ChannelEnds ends, long send, long receive, long idle) {
    long sent = Channel.PENDING;
    long received = Channel.PENDING;
    while (sent == Channel.PENDING || received == Channel.PENDING) {
      sent = sent == Channel.PENDING ? ends.out().test(send) : sent;
      if (received == Channel.PENDING) {
        received = ends.in().test(receive);
      } else {
        ends.in().test(idle);
      }
    }
    check(sent, 64);
    check(received, 64);
  }

  private static void end(Channel channel, long request, long expected) {
    long result;
    while ((result = channel.test(request)) == Channel.PENDING) {
      Thread.onSpinWait();
    }
    check(result, expected);
  }

  private static void check(long result, long expected) {
    // No assertEquals: it would box both numbers.
    if (result != expected) {
      throw new AssertionError(result + " instead of " + expected);
    }
  }

  @Test
  @Tag("slow")
  void shouldLeaveNothingBehind() throws Exception {
    int cycles = contract().repetitions(CYCLES);
    cycles(20);
    Map<String, Long> before = open();
    cycles(cycles);
    eventually()
        .untilAsserted(
            () ->
                open()
                    .forEach(
                        (what, count) ->
                            assertTrue(
                                count <= before.getOrDefault(what, 0L),
                                () ->
                                    what
                                        + ": "
                                        + before.getOrDefault(what, 0L)
                                        + " before and "
                                        + count
                                        + " after "
                                        + cycles
                                        + " cycles")));
  }

  private void cycles(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      if (i % 10 == 0) {
        Transport from = contract().openNode("from-" + i);
        Transport to = contract().openNode("to-" + i);
        use(ChannelEnds.between(from, to, 4_096), i);
        closeBoth(from, to);
      } else {
        ChannelEnds ends = channel(4_096);
        use(ends, i);
        closeBoth(ends.out(), ends.in());
        ends.source().close();
        ends.sink().close();
      }
    }
  }

  /** In turn a message, a message and requests that will not end, and nothing at all. */
  private static void use(ChannelEnds ends, int i) {
    if (i % 3 > 0) {
      ends.exchange(4_096, i);
    }
    if (i % 3 > 1) {
      ends.send(0, 64, 1);
      ends.receive(0, 64, 2);
    }
  }

  /** At the same instant, since closing may wait for the peer's answer. */
  private static void closeBoth(AutoCloseable here, AutoCloseable there) throws Exception {
    Parallel closing = Parallel.start(here::close);
    there.close();
    closing.join();
  }

  private Map<String, Long> open() {
    Map<String, Long> open = new TreeMap<>(contract().openResources());
    open.put("threads", (long) Thread.getAllStackTraces().size());
    if (Files.isDirectory(OPEN_FILES)) {
      try (Stream<Path> files = Files.list(OPEN_FILES)) {
        open.put("file descriptors", files.count());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return open;
  }
}
