// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.BeforeTry;

class HopQueuesTest {
  private static final int CHUNK_BYTES = 1000;
  private static final int HOP_CLASS = 2;

  /** Chunks of each cable that wait at once: more than are sent in a turn of the shortest. */
  private static final int WAITING = 16;

  private final List<Recorded> in = new ArrayList<>();
  private Recorded out;
  private int added;

  @BeforeTry
  void beginAnew() {
    added = 0;
    out = new Recorded();
    out.queues =
        new HopQueues(out, List.of(), CHUNK_BYTES, new OthersShare(100, CHUNK_BYTES, () -> 0));
    out.isUp = true;
    in.clear();
    for (int i = 0; i < 4; i++) {
      in.add(hop());
    }
  }

  private static final class Recorded extends Hop {
    private final Queue<Chunk> underWay = new ArrayDeque<>();
    private int sent;

    Recorded() {
      super(new NodeNumber(1, 1));
    }

    @Override
    void send(Chunk chunk, int hopClass) {
      underWay.add(chunk);
      sent++;
    }

    @Override
    void receiveInto(Chunk chunk) {
      throw new AssertionError("its chunks are not given back here");
    }
  }

  private static Recorded hop() {
    Recorded hop = new Recorded();
    hop.isUp = true;
    return hop;
  }

  private void happen(Random random) {
    int which = random.nextInt(in.size());
    switch (random.nextInt(5)) {
      case 0 -> {
        in.get(which).isUp = false;
        in.set(which, hop());
      }
      case 1, 2 -> {
        add(which, 1 + random.nextInt(CHUNK_BYTES));
        added++;
      }
      default -> {
        if (!out.underWay.isEmpty()) {
          out.queues.sent(out.underWay.poll(), HOP_CLASS);
        }
      }
    }
  }

  private void add(int source, int lengthBytes) {
    Chunk chunk = new Chunk(in.get(source), HOP_CLASS - 1, 0, ByteBuffer.allocate(CHUNK_BYTES));
    chunk.lengthBytes = lengthBytes;
    out.queues.add(chunk, HOP_CLASS);
  }

  /**
   * As cables do that have always more: each has a few chunks here, and a new one for each sent.
   */
  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void shouldShareAHopByBytesAmongTheCablesThatChunksCameOver(@ForAll long seed) {
    Random random = new Random(seed);
    int[] lengthBytes = new int[in.size()];
    for (int source = 0; source < in.size(); source++) {
      lengthBytes[source] = CHUNK_BYTES / 10 + random.nextInt(CHUNK_BYTES * 9 / 10 + 1);
      for (int i = 0; i < WAITING; i++) {
        add(source, lengthBytes[source]);
      }
    }
    long[] sentBytes = new long[in.size()];
    for (int i = 0; i < 4_000; i++) {
      Chunk sent = out.underWay.remove();
      int source = in.indexOf(sent.home);
      sentBytes[source] += sent.lengthBytes;
      add(source, lengthBytes[source]);
      out.queues.sent(sent, HOP_CLASS);
    }
    long least = Arrays.stream(sentBytes).min().orElseThrow();
    long most = Arrays.stream(sentBytes).max().orElseThrow();
    // Turns differ by one, of a quantum each, and each has less than a chunk of its turns left. The
    // first cable had the hop for itself until the sends under way were as many as may be.
    assertTrue(
        most - least <= (2 + HopQueues.SENDS) * CHUNK_BYTES,
        Arrays.toString(sentBytes) + " bytes in chunks of " + Arrays.toString(lengthBytes));
    assertTrue(least > 50 * CHUNK_BYTES, Arrays.toString(sentBytes));
  }

  /** One that waited while nothing is under way would wait for ever, with the memory it is in. */
  @Property(tries = 200, shrinking = ShrinkingMode.OFF)
  void shouldSendWhatWaitsWhicheverHopsItsSourcesHadAndLost(@ForAll long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      happen(random);
      int waiting = added - out.sent;
      assertEquals(
          Math.min(HopQueues.SENDS, out.underWay.size() + waiting),
          out.underWay.size(),
          waiting + " wait after step " + i);
    }
  }
}
