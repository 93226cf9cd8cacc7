// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import static io.meshtransport.neighbours.SimulatedMesh.MS_NS;
import static io.meshtransport.neighbours.SimulatedMesh.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedCable;
import io.meshtransport.neighbours.SimulatedMesh.Wire;
import io.meshtransport.neighbours.adjacency.Adjacency;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/**
 * All nodes of a mesh come to know the graph that its cables really make, whatever happens. jqwik
 * prints the seed of a failure; {@code @Property(seed = "...")} repeats it.
 */
class ConvergenceTest {
  private static final int MANY = 64;

  private static SimulatedMesh started(long seed, int nodes, int extra) {
    SimulatedMesh mesh = new SimulatedMesh(seed);
    TrueGraph.connect(mesh, nodes, extra, new Random(seed));
    mesh.nodes.forEach(Node::start);
    return mesh;
  }

  private static long converge(SimulatedMesh mesh, long withinNs) {
    long beganNs = mesh.nowNs();
    while (!TrueGraph.difference(mesh).isEmpty()) {
      if (mesh.nowNs() - beganNs >= withinNs) {
        throw new AssertionError(
            "seed %d, trace %x, after %d ms: %s"
                .formatted(
                    mesh.seed, mesh.traceHash(), withinNs / MS_NS, TrueGraph.difference(mesh)));
      }
      mesh.runFor(5 * MS_NS);
    }
    return mesh.nowNs() - beganNs;
  }

  /** What can happen to a mesh in one step. */
  private enum Change {
    CARRIER_LOST,
    CUT_SILENTLY,
    HEALED,
    HEALED_ALL,
    RESTARTED,
    KILLED,
    LEFT,
    STARTED,
    PUBLISHED;

    /** What it takes beside the second: silence where nothing else shows it, or many changes. */
    long allowanceNs() {
      return switch (this) {
        case CUT_SILENTLY, KILLED -> Adjacency.SILENT_NS;
        case HEALED_ALL -> SECOND_NS;
        default -> 0;
      };
    }
  }

  private static void apply(Change change, SimulatedMesh mesh, Random random) {
    SimulatedCable cable = mesh.cables.get(random.nextInt(mesh.cables.size()));
    Node node = mesh.nodes.get(random.nextInt(mesh.nodes.size()));
    switch (change) {
      case CARRIER_LOST -> mesh.cut(cable, true);
      case CUT_SILENTLY -> mesh.cut(cable, false);
      case HEALED -> mesh.heal(cable);
      case HEALED_ALL -> mesh.cables.forEach(mesh::heal);
      case RESTARTED -> node.start();
      case KILLED -> node.kill();
      case LEFT -> {
        node.leave();
      }
      case STARTED -> {
        mesh.nodes.stream().filter(each -> each.program == null).findFirst().ifPresent(Node::start);
      }
      case PUBLISHED -> {
        byte[] handle = new byte[random.nextInt(400)];
        node.perform(() -> node.program.publish("store", handle, node.localNs()));
        // The next record waits for other changes of the same moment.
        mesh.runFor(11 * MS_NS);
      }
      default -> throw new IllegalArgumentException("unknown: " + change);
    }
  }

  @Tag("slow")
  @Property(tries = 1, shrinking = ShrinkingMode.OFF)
  void shouldKnowAnySingleChangeOfManyNodesWithinASecond(@ForAll long seed) {
    for (Change change : Change.values()) {
      SimulatedMesh mesh = started(seed, MANY, MANY);
      Random random = new Random(seed + change.ordinal());
      converge(mesh, 3 * SECOND_NS);
      mesh.runFor(10 * SECOND_NS + random.nextInt(1000) * MS_NS);
      prepare(change, mesh);
      long changedNs = mesh.nowNs();
      apply(change, mesh, random);
      converge(mesh, SECOND_NS + change.allowanceNs());
      long tookNs = mesh.nowNs() - changedNs;
      System.out.printf(
          "%d nodes, %d cables, seed %d: %s known by all after %d ms, trace %x%n",
          MANY, mesh.cables.size(), seed, change, tookNs / MS_NS, mesh.traceHash());
    }
  }

  /** Makes possible what is to happen. */
  private static void prepare(Change change, SimulatedMesh mesh) {
    if (change == Change.HEALED) {
      mesh.cut(mesh.cables.get(mesh.cables.size() / 2), false);
      for (SimulatedCable each : mesh.cables) {
        if (each.ends.get(0).node.index % 3 == 0) {
          mesh.cut(each, false);
        }
      }
    } else if (change == Change.HEALED_ALL) {
      // Each node alone, then all at once.
      mesh.cables.forEach(each -> mesh.cut(each, false));
    } else if (change == Change.STARTED) {
      mesh.nodes.forEach(
          each -> {
            if (each.index % 2 == 0) {
              each.kill();
            }
          });
    } else {
      return;
    }
    mesh.runFor(5 * SECOND_NS);
    // Dozens of cuts at one time are no single change: what of it was lost, digests bring later.
    long tookNs = converge(mesh, 30 * SECOND_NS);
    System.out.printf("prepared %s, known by all after %d ms%n", change, tookNs / MS_NS);
  }

  @Property(tries = 16, shrinking = ShrinkingMode.OFF)
  void shouldConvergeAfterAnySequenceOnABadWire(@ForAll long seed) {
    Random random = new Random(seed);
    int nodes = 2 + random.nextInt(11);
    SimulatedMesh mesh = started(seed, nodes, random.nextInt(nodes + 1));
    mesh.wire = Wire.BAD;
    for (int i = 5 + random.nextInt(40); i > 0; i--) {
      Change change = Change.values()[random.nextInt(Change.values().length)];
      Node node = mesh.nodes.get(random.nextInt(nodes));
      if (random.nextInt(8) == 0 && !node.isStopped) {
        node.stop();
      } else if (!node.isStopped) {
        mesh.nodes.stream().filter(each -> each.isStopped).forEach(Node::resume);
        apply(change, mesh, random);
      }
      mesh.runFor((long) (random.nextDouble() * random.nextDouble() * 4 * SECOND_NS));
    }
    mesh.nodes.stream().filter(each -> each.isStopped).forEach(Node::resume);
    mesh.wire = new Wire(2, 10, 10_000, 5_000_000);
    converge(mesh, 30 * SECOND_NS);
    // Records that others have of the rest of the mesh are equal, too, once no record is on its
    // way.
    mesh.wire = Wire.GOOD;
    mesh.runUntil(mesh.nowNs() + 20 * SECOND_NS, () -> haveEqualDigests(mesh));
  }

  private static boolean haveEqualDigests(SimulatedMesh mesh) {
    for (Node each : mesh.nodes) {
      for (Adjacency one :
          each.program == null ? List.<Adjacency>of() : each.program.adjacencies()) {
        Node peer =
            mesh.nodes.stream()
                .filter(node -> node.id().equals(one.id().peer()))
                .findFirst()
                .orElseThrow();
        if (peer.program == null
            || peer.program.database().digest() != each.program.database().digest()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Records of what is gone expire, so in the end a database has nothing but the component. */
  @Property(tries = 5, shrinking = ShrinkingMode.OFF)
  void shouldHaveNothingButWhatIsThereInTheEnd(@ForAll long seed) {
    Random random = new Random(seed);
    SimulatedMesh mesh = started(seed, 12, 8);
    converge(mesh, 3 * SECOND_NS);
    for (int i = 0; i < 4; i++) {
      mesh.nodes.get(random.nextInt(12)).kill();
    }
    mesh.runFor(105 * SECOND_NS);
    converge(mesh, SECOND_NS);
    for (Node each : mesh.nodes) {
      if (each.program != null) {
        assertEquals(
            each.program.graph().nodes(),
            each.program.graph().reachableFrom(each.id()).nodes(),
            "seed " + seed);
        assertEquals(each.program.graph().nodes().size(), each.program.database().size());
      }
    }
  }

  @Example
  void shouldRepeatARunOfTheSameSeed() {
    long[] traces = new long[2];
    for (int i = 0; i < 2; i++) {
      SimulatedMesh mesh = started(99, 10, 6);
      mesh.wire = Wire.BAD;
      mesh.runFor(5 * SECOND_NS);
      traces[i] = mesh.traceHash();
    }
    assertEquals(traces[0], traces[1]);
  }

  @Tag("slow")
  @Example
  void shouldCostLittleWhereNothingHappens() {
    SimulatedMesh mesh = started(5, MANY, MANY);
    mesh.runFor(15 * SECOND_NS);
    long bytes = mesh.bytes;
    long datagrams = mesh.datagrams;
    mesh.runFor(20 * SECOND_NS);
    long perCable = (mesh.bytes - bytes) / 20 / mesh.cables.size();
    System.out.printf(
        "%d nodes, idle: %d bytes and %d datagrams per second and cable%n",
        MANY, perCable, (mesh.datagrams - datagrams) / 20 / mesh.cables.size());
    assertTrue(perCable < 4096, "" + perCable);
  }
}
