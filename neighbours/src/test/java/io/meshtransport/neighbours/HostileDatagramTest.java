// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import static io.meshtransport.neighbours.SimulatedMesh.MS_NS;
import static io.meshtransport.neighbours.SimulatedMesh.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedCable;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/**
 * A hundred thousand datagrams that are damaged, cut, prolonged, random or false change nothing but
 * counters of the {@link NeighbourNode} that they reach, by its {@link DatagramDispatcher}.
 */
class HostileDatagramTest {
  private static final int DATAGRAMS = 100_000;
  private static final int CRC_BYTES = Integer.BYTES;
  private static final int HEADER_BYTES = 56;

  private final long seed = Long.getLong("seed", 20_261_123L);
  private final Random random = new Random(seed);
  private final SimulatedMesh mesh = new SimulatedMesh(seed);
  private final Node a = mesh.node("a");
  private final Node b = mesh.node("b");
  private final Node c = mesh.node("c");
  private final SimulatedCable ab = mesh.connect(a, b);

  private static byte[] reseal(byte[] datagram) {
    if (datagram.length >= HEADER_BYTES + CRC_BYTES) {
      ByteBuffer.wrap(datagram).putShort(6, (short) datagram.length);
      CRC32C crc = new CRC32C();
      crc.update(datagram, 0, datagram.length - CRC_BYTES);
      ByteBuffer.wrap(datagram).putInt(datagram.length - CRC_BYTES, (int) crc.getValue());
    }
    return datagram;
  }

  /** Flips bits. */
  private byte[] damaged(byte[] datagram) {
    byte[] damaged = datagram.clone();
    for (int i = 1 + random.nextInt(8); i > 0; i--) {
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
    }
    return Arrays.equals(damaged, datagram) ? new byte[0] : damaged;
  }

  /** Leaves bytes of the body out or adds some, under a trailer that fits. */
  private byte[] ofAnotherLength(byte[] datagram) {
    int cut = random.nextInt(datagram.length - HEADER_BYTES - CRC_BYTES);
    int length = random.nextBoolean() ? datagram.length - 1 - cut : datagram.length + 1 + cut;
    return reseal(Arrays.copyOf(datagram, Math.max(length, HEADER_BYTES + CRC_BYTES)));
  }

  private byte[] random() {
    byte[] bytes = new byte[random.nextInt(1500)];
    random.nextBytes(bytes);
    return bytes;
  }

  private String known() {
    return a.program.adjacencies()
        + " "
        + a.program.graph().nodes()
        + " "
        + a.program.findings()
        + a.log.lines
        // A refresh may say another latency.
        + a.log.nodes.stream().filter(each -> !each.startsWith("changed")).toList();
  }

  private List<byte[]> recordedTraffic() {
    mesh.connect(b, c);
    mesh.recorded = new ArrayList<>();
    mesh.nodes.forEach(Node::start);
    mesh.runFor(10 * SECOND_NS);
    List<byte[]> recorded = mesh.recorded;
    mesh.recorded = null;
    return recorded;
  }

  private long refused() {
    long refused = 0;
    for (NeighbourCounter each :
        List.of(
            NeighbourCounter.MALFORMED,
            NeighbourCounter.OTHER_SECRET,
            NeighbourCounter.OVER_RATE,
            NeighbourCounter.OTHER_JOB,
            NeighbourCounter.NOT_ADJACENT,
            NeighbourCounter.REPLAYED,
            NeighbourCounter.REFLECTED)) {
      refused += a.program.counters().get(each);
    }
    return refused;
  }

  private void attack(boolean isSealed) {
    List<byte[]> recorded = recordedTraffic();
    assertTrue(recorded.size() > 25, "" + recorded.size());
    String before = withoutSequences(known());
    long refused = refused();
    for (int i = 0; i < DATAGRAMS; i++) {
      byte[] good = recorded.get(random.nextInt(recorded.size()));
      byte[] bad =
          switch (random.nextInt(4)) {
            case 0 -> random();
            case 1 -> good; // A repetition.
            case 2 -> isSealed ? damaged(good) : ofAnotherLength(good);
            default -> damaged(good);
          };
      mesh.arrive(ab.ends.get(1).address, ab.ends.get(0), bad);
      if (i % 4 == 3) {
        mesh.runFor(MS_NS);
      }
    }
    assertEquals(before, withoutSequences(known()), "seed " + seed);
    // Those that were too early when they were recorded are new once, when they are repeated.
    assertTrue(
        refused() - refused >= DATAGRAMS - refused, "seed " + seed + ": " + (refused() - refused));
    assertEquals(0, a.program.counters().get(NeighbourCounter.DATABASE_FULL));
  }

  /** Refreshes go on meanwhile. */
  private static String withoutSequences(String known) {
    return known.replaceAll("sequence=[0-9]+", "").replaceAll("latencyNs=[0-9]+", "");
  }

  @Test
  void shouldChangeNothingWithoutASecret() {
    attack(false);
  }

  @Test
  void shouldChangeNothingWithASecret() {
    mesh.nodes.forEach(each -> each.secret = Optional.of(SharedSecret.of("0123456789abcdef")));
    attack(true);
  }
}
