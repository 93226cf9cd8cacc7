// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.verdict.LivenessPort;
import io.meshtransport.neighbours.verdict.ProbeAnswer;
import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Nodes and cables in virtual time. The seed and the order of calls decide all that happens; {@link
 * #traceHash()} shows whether a run was repeated. Cables lose, duplicate and reorder datagrams.
 */
final class SimulatedMesh {
  static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  static final long MS_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What a cable does to datagrams. */
  record Wire(double lossPercent, double duplicatePercent, long minDelayNs, long maxDelayNs) {
    /** Keeps the order of what one end sends, as a cable does. */
    static final Wire GOOD = new Wire(0, 0, 10_000, 60_000);

    /** One in seven lost, one in ten doubled, up to 20 ms late and so out of order. */
    static final Wire BAD = new Wire(15, 10, 10_000, 20_000_000);
  }

  private record Event(long atNs, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return atNs != other.atNs ? Long.compare(atNs, other.atNs) : Long.compare(order, other.order);
    }
  }

  /** Ends of interfaces that hear each other; two for a cable, more for a switch. */
  static final class SimulatedCable {
    final List<SimulatedEnd> ends = new ArrayList<>();

    /** Nothing passes, and the interfaces do not see it. */
    boolean isCut;

    /** Nothing passes to this end. */
    SimulatedEnd deafEnd;

    boolean touches(Node node) {
      return ends.stream().anyMatch(each -> each.node == node);
    }
  }

  /** An interface of a node. */
  static final class SimulatedEnd {
    /** When what it sent last arrives. */
    long lastArrivalNs;

    final Node node;
    final int index;
    final InetAddress address;
    final SimulatedCable cable;
    CableInterface local;
    boolean hasCarrier = true;

    SimulatedEnd(Node node, int index, SimulatedCable cable) {
      this.node = node;
      this.index = index;
      this.cable = cable;
      this.address = linkLocal(node.index, index);
      this.local =
          new CableInterface(
              index, "eth" + index, 1500, 10_000, List.of(new LinkAddress(address, 64)));
    }
  }

  /** A host with at most one program. */
  final class Node implements DatagramPort, LivenessPort {
    final int index;
    final String name;
    final long clockNs;
    final Map<Integer, SimulatedEnd> ends = new TreeMap<>();
    final EventLog log = new EventLog();
    Optional<SharedSecret> secret = Optional.empty();
    String job = "";
    NeighbourNode program;
    boolean isStopped;

    /** Whether the host is there. */
    boolean isOn = true;

    /** The cables over which others, or this node, have a connection, by the asking node. */
    private final Map<AdjacencyId, Node> connections = new HashMap<>();

    private final List<Runnable> waiting = new ArrayList<>();
    private int lives;
    private long plannedNs;

    Node(int index, String name) {
      this.index = index;
      this.name = name;
      this.clockNs = (long) (random.nextDouble() * 1e12);
    }

    NodeId id() {
      return new NodeId(0x1000 + index, index + 1);
    }

    long localNs() {
      return nowNs + clockNs;
    }

    void start() {
      startAs(++lives);
    }

    /** Starts the program with an incarnation that need not be new. */
    void startAs(long incarnation) {
      isOn = true;
      program =
          new NeighbourNode(
              new NodeIdentity(id(), name, job, incarnation),
              secret,
              new Random(random.nextLong()),
              this,
              this,
              log);
      plannedNs = Long.MAX_VALUE;
      interfacesChanged();
    }

    /** The program says goodbye, and ends. */
    void leave() {
      perform(() -> program.leave(localNs()));
    }

    /** The program ends without a word; its host ends its connections. */
    void kill() {
      program = null;
      connections.clear();
      for (Node each : nodes) {
        each.connections.entrySet().stream()
            .filter(one -> one.getValue() == this && each.reaches(one.getKey(), this))
            .map(Map.Entry::getKey)
            .toList()
            .forEach(cable -> plan(nowNs + 50_000, () -> each.connectionEnded(cable)));
      }
    }

    /** The host is gone, and ends nothing. */
    void powerOff() {
      program = null;
      isOn = false;
      connections.clear();
    }

    private void connectionEnded(AdjacencyId cable) {
      if (connections.remove(cable) != null) {
        perform(() -> program.ended(cable, localNs()));
      }
    }

    private boolean reaches(AdjacencyId cable, Node peer) {
      SimulatedEnd from = ends.get(cable.interfaceIndex());
      return peer.isOn
          && !from.cable.isCut
          && from.cable.deafEnd == null
          && from.cable.ends.stream().allMatch(each -> each.hasCarrier);
    }

    @Override
    public void probe(AdjacencyId cable, InetAddress address) {
      NeighbourNode life = program;
      Node peer = nodes.get((int) cable.peer().low() - 1);
      boolean reaches = reaches(cable, peer);
      plan(
          nowNs + (reaches ? 100_000 : TIMEOUT_NS),
          () -> {
            if (program != life) {
              return;
            }
            ProbeAnswer answer =
                !reaches || !peer.isOn
                    ? ProbeAnswer.NONE
                    : peer.program == null ? ProbeAnswer.REFUSED : ProbeAnswer.ACCEPTED;
            if (answer == ProbeAnswer.ACCEPTED) {
              connections.put(cable, peer);
            }
            perform(() -> program.answered(cable, answer, localNs()));
          });
    }

    @Override
    public void release(AdjacencyId cable) {
      connections.remove(cable);
    }

    void stop() {
      isStopped = true;
    }

    void resume() {
      isStopped = false;
      List<Runnable> now = List.copyOf(waiting);
      waiting.clear();
      now.forEach(Runnable::run);
    }

    void interfacesChanged() {
      if (program != null) {
        List<CableInterface> now =
            ends.values().stream().filter(each -> each.hasCarrier).map(each -> each.local).toList();
        perform(() -> program.interfaces(now, localNs()));
      }
    }

    /** Calls the program and plans its next tick. */
    void perform(Runnable call) {
      if (isStopped) {
        waiting.add(() -> perform(call));
        return;
      }
      if (program != null) {
        call.run();
        if (program.hasLeft()) {
          kill();
        } else {
          planTick();
        }
      }
    }

    private void planTick() {
      long dueNs = Math.max(nowNs, program.nextDueNs(localNs()) - clockNs);
      if (dueNs < plannedNs) {
        plannedNs = dueNs;
        NeighbourNode life = program;
        plan(
            dueNs,
            () -> {
              if (program == life && plannedNs == dueNs) {
                plannedNs = Long.MAX_VALUE;
                perform(() -> program.tick(localNs()));
              }
            });
      }
    }

    @Override
    public void toGroup(int interfaceIndex, byte[] datagram) {
      SimulatedEnd from = ends.get(interfaceIndex);
      for (SimulatedEnd each : from.cable.ends) {
        if (each != from) {
          transmit(from, each, datagram);
        }
      }
    }

    @Override
    public void toAddress(int interfaceIndex, InetAddress address, byte[] datagram) {
      SimulatedEnd from = ends.get(interfaceIndex);
      for (SimulatedEnd each : from.cable.ends) {
        if (each != from && each.address.equals(address)) {
          transmit(from, each, datagram);
        }
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }

  final List<Node> nodes = new ArrayList<>();
  final List<SimulatedCable> cables = new ArrayList<>();
  final long seed;
  Wire wire = Wire.GOOD;
  long datagrams;
  long bytes;

  /** What arrives at the first node, where this is not null. */
  List<byte[]> recorded;

  private final Random random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long order;
  private long nowNs;
  private long traceHash;

  SimulatedMesh(long seed) {
    this.seed = seed;
    this.random = new Random(seed);
  }

  static InetAddress linkLocal(int node, int index) {
    byte[] bytes = new byte[16];
    bytes[0] = (byte) 0xFE;
    bytes[1] = (byte) 0x80;
    bytes[12] = (byte) (node >> 8);
    bytes[13] = (byte) node;
    bytes[15] = (byte) index;
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  long nowNs() {
    return nowNs;
  }

  /** A number made of everything that arrived, where and when. */
  long traceHash() {
    return traceHash;
  }

  Node node(String name) {
    Node node = new Node(nodes.size(), name);
    nodes.add(node);
    return node;
  }

  /** Connects new interfaces of these nodes; the programs see them. */
  SimulatedCable connect(Node... some) {
    SimulatedCable cable = new SimulatedCable();
    for (Node each : some) {
      SimulatedEnd end = new SimulatedEnd(each, each.ends.size() + 1, cable);
      each.ends.put(end.index, end);
      cable.ends.add(end);
    }
    cables.add(cable);
    for (Node each : some) {
      each.interfacesChanged();
    }
    return cable;
  }

  /** Cuts a cable; with a carrier that is lost, as with copper and light, or without. */
  void cut(SimulatedCable cable, boolean losesCarrier) {
    cable.isCut = true;
    if (losesCarrier) {
      carrier(cable, false);
    }
  }

  void heal(SimulatedCable cable) {
    cable.isCut = false;
    carrier(cable, true);
  }

  private void carrier(SimulatedCable cable, boolean present) {
    for (SimulatedEnd each : cable.ends) {
      if (each.hasCarrier != present) {
        each.hasCarrier = present;
        each.node.interfacesChanged();
      }
    }
  }

  void change(SimulatedEnd end, CableInterface local) {
    end.local = local;
    end.node.interfacesChanged();
  }

  private void plan(long atNs, Runnable what) {
    events.add(new Event(atNs, order++, what));
  }

  void transmit(SimulatedEnd from, SimulatedEnd to, byte[] datagram) {
    datagrams++;
    bytes += datagram.length;
    if (from.cable.isCut || from.cable.deafEnd == to || isOneOf(wire.lossPercent())) {
      return;
    }
    deliver(from, to, datagram);
    if (isOneOf(wire.duplicatePercent())) {
      deliver(from, to, datagram);
    }
  }

  private boolean isOneOf(double percent) {
    return percent > 0 && random.nextDouble() * 100 < percent;
  }

  private void deliver(SimulatedEnd from, SimulatedEnd to, byte[] datagram) {
    double share = random.nextDouble();
    long delayNs =
        wire.minDelayNs() + (long) (share * share * (wire.maxDelayNs() - wire.minDelayNs()));
    long earliestNs = wire == Wire.GOOD ? from.lastArrivalNs : nowNs;
    from.lastArrivalNs = Math.max(nowNs + delayNs, earliestNs);
    InetAddress source = from.address;
    plan(from.lastArrivalNs, () -> arrive(source, to, datagram));
  }

  /** A datagram arrives at once, from wherever. */
  void arrive(InetAddress source, SimulatedEnd to, byte[] datagram) {
    if (recorded != null && to.node.index == 0) {
      recorded.add(datagram);
    }
    traceHash = traceHash * 31 + nowNs * 17 + to.node.index * 7L + Arrays.hashCode(datagram);
    to.node.perform(() -> to.node.program.receive(to.index, source, datagram, to.node.localNs()));
  }

  void runFor(long durationNs) {
    runUntil(nowNs + durationNs);
  }

  void runUntil(long untilNs) {
    while (!events.isEmpty() && events.peek().atNs() <= untilNs) {
      Event next = events.poll();
      nowNs = next.atNs();
      next.what().run();
    }
    nowNs = untilNs;
  }

  /** Runs until something holds, in steps of a millisecond; answers when, or fails. */
  long runUntil(long latestNs, BooleanSupplier holds) {
    while (!holds.getAsBoolean()) {
      if (nowNs >= latestNs) {
        throw new AssertionError("seed " + seed + ": not so after " + nowNs / MS_NS + " ms");
      }
      runUntil(nowNs + MS_NS);
    }
    return nowNs;
  }
}
