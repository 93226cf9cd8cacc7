// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * One {@link SimulatedLine}'s life: messages of random lengths, in an order and with faults that a
 * seed chooses. Memory that is the test's again is scribbled over at once, and must stay as
 * scribbled: nobody reads or writes it any more.
 */
final class SimulatedTraffic {
  static final int ROOM_BYTES = 16 << 10;

  private static final int MESSAGES = 60;
  private static final int TAGS = 3;
  private static final byte SCRIBBLE = 0x5A;

  /** What must come of a run. */
  enum Ending {
    EVERYTHING_ARRIVES,
    BOTH_ENDS_BREAK,
    /** The receiving program is dead, and nobody asks it any more. */
    SENDER_BREAKS
  }

  interface Fault {
    void happen(SimulatedLine line, Random random) throws Exception;
  }

  /** A message under way: its request at one end, and what it should hold. */
  private record Sent(long request, int tag, int lengthBytes, int number) {}

  /** The nth receive with a tag gets the nth message with it. */
  private record Received(long request, int tag, int nth, int offsetBytes) {}

  private final String seed;
  private final Random random;
  private final SimulatedLine line;
  private final ByteBuffer source = ByteBuffer.allocateDirect(MESSAGES * ROOM_BYTES);
  private final ByteBuffer sink = ByteBuffer.allocateDirect(MESSAGES * ROOM_BYTES);
  private final List<Sent> sends = new ArrayList<>();
  private final List<Received> receives = new ArrayList<>();
  private final List<Integer> scribbled = new ArrayList<>();
  private final List<List<Sent>> expected = new ArrayList<>();
  private final int[] postedOfTag = new int[TAGS];
  private int sent;
  private int posted;
  private int endedSends;
  private int endedReceives;
  private boolean broken;

  SimulatedTraffic(long seed, Random random, SimulatedLine line) {
    this.seed = "seed " + seed;
    this.random = random;
    this.line = line;
    for (int tag = 0; tag < TAGS; tag++) {
      expected.add(new ArrayList<>());
    }
  }

  /**
   * @param faults each happens at a moment of its own, in this order
   */
  void go(Ending ending, Fault... faults) throws Exception {
    RegisteredMemory from = line.from.register(source);
    RegisteredMemory to = line.to.register(sink);
    int[] faultsAt = random.ints(faults.length, 0, MESSAGES).sorted().toArray();
    int struck = 0;
    while (!broken && (endedSends < MESSAGES || endedReceives < MESSAGES)
        || broken && outstanding(ending)) {
      while (struck < faults.length && sent + posted >= 2 * faultsAt[struck]) {
        faults[struck++].happen(line, random);
      }
      step(from, to);
    }
    assertEquals(ending != Ending.EVERYTHING_ARRIVES, broken, this::howItEnded);
    while (line.fabric.step() && ending == Ending.BOTH_ENDS_BREAK) {
      // Whatever is still on a cable comes in.
    }
    scribbled.forEach(this::assertUntouched);
  }

  private String howItEnded() {
    return seed + ", " + howItEnded(line.out) + ", " + howItEnded(line.in);
  }

  private static String howItEnded(Channel end) {
    return end.state() == ChannelState.FAILED ? end.failure().toString() : end.state().toString();
  }

  private boolean outstanding(Ending ending) {
    return !sends.isEmpty() || ending == Ending.BOTH_ENDS_BREAK && !receives.isEmpty();
  }

  private void step(RegisteredMemory from, RegisteredMemory to) {
    switch (random.nextInt(4)) {
      case 0 -> send(from);
      case 1 -> receive(to);
      case 2 -> testSends();
      default -> testReceives();
    }
  }

  private void send(RegisteredMemory from) {
    if (sent == MESSAGES || broken) {
      return;
    }
    int tag = sent % TAGS;
    int lengthBytes = random.nextInt(ROOM_BYTES + 1);
    for (int i = 0; i < lengthBytes; i++) {
      source.put(sent * ROOM_BYTES + i, (byte) (sent * 31 + i));
    }
    long at = (long) sent * ROOM_BYTES;
    // One in four goes in pieces.
    long request =
        sent % 4 == 1
            ? line.out.isend(pieces(from, at, lengthBytes), tag)
            : line.out.isend(from, at, lengthBytes, tag);
    if (begun(request)) {
      Sent message = new Sent(request, tag, lengthBytes, sent);
      sends.add(message);
      expected.get(tag).add(message);
      sent++;
    }
  }

  private static GatherList pieces(RegisteredMemory from, long at, int lengthBytes) {
    int third = lengthBytes / 3;
    return new GatherList()
        .add(from, at, 7 * third / 8)
        .add(from, at + 7 * third / 8, third)
        .add(from, 0, 0)
        .add(from, at + 7 * third / 8 + third, lengthBytes - 7 * third / 8 - third);
  }

  private void receive(RegisteredMemory to) {
    if (posted == MESSAGES || broken) {
      return;
    }
    int tag = posted % TAGS;
    long request = line.in.irecv(to, (long) posted * ROOM_BYTES, ROOM_BYTES, tag);
    if (begun(request)) {
      receives.add(new Received(request, tag, postedOfTag[tag]++, posted * ROOM_BYTES));
      posted++;
    }
  }

  private boolean begun(long request) {
    broken |= request == Channel.FAILED;
    return request >= 0;
  }

  private void testSends() {
    for (int i = 0; i < sends.size(); i++) {
      Sent message = sends.get(i);
      long outcome = line.out.test(message.request());
      if (outcome == Channel.PENDING) {
        continue;
      }
      if (outcome == Channel.FAILED) {
        assertGone(line.out);
      } else {
        assertEquals(message.lengthBytes(), outcome, seed);
        endedSends++;
      }
      scribble(source, message.number() * ROOM_BYTES);
      sends.remove(i--);
    }
  }

  private void testReceives() {
    for (int i = 0; i < receives.size(); i++) {
      Received receive = receives.get(i);
      long outcome = line.in.test(receive.request());
      if (outcome == Channel.PENDING) {
        continue;
      }
      if (outcome == Channel.FAILED) {
        assertGone(line.in);
      } else {
        check(expected.get(receive.tag()).get(receive.nth()), receive, outcome);
        endedReceives++;
      }
      scribble(sink, receive.offsetBytes());
      scribbled.add(receive.offsetBytes());
      receives.remove(i--);
    }
  }

  private void check(Sent message, Received receive, long lengthBytes) {
    assertEquals(message.lengthBytes(), lengthBytes, () -> instead(message, lengthBytes));
    for (int i = 0; i < lengthBytes; i++) {
      byte is = sink.get(receive.offsetBytes() + i);
      assertTrue(is == (byte) (message.number() * 31 + i), seed);
    }
  }

  private String instead(Sent message, long lengthBytes) {
    return seed
        + ": instead of "
        + message
        + " one of "
        + expected.stream()
            .flatMap(List::stream)
            .filter(other -> other.lengthBytes() == lengthBytes)
            .toList();
  }

  private static void scribble(ByteBuffer memory, int at) {
    byte[] scribbles = new byte[ROOM_BYTES];
    Arrays.fill(scribbles, SCRIBBLE);
    memory.put(at, scribbles);
  }

  private void assertUntouched(int at) {
    for (int i = at; i < at + ROOM_BYTES; i++) {
      assertTrue(sink.get(i) == SCRIBBLE, seed + ": a late byte at " + i);
    }
  }

  private void assertGone(Channel channel) {
    broken = true;
    assertEquals(
        Reason.PEER_GONE,
        channel.failure().reason(),
        () -> seed + ": " + channel.failure().getMessage());
  }
}
