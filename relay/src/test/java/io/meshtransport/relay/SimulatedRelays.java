// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** {@link RelayNode}s on simulated cables in virtual time: the same seed, the same run. */
final class SimulatedRelays {
  static final long MS_NS = 1_000_000;
  static final long SECOND_NS = 1_000 * MS_NS;
  static final int CHUNK_BYTES = 1024;
  private static final int OWN_CHUNKS = 4;
  private static final long LATENCY_NS = 50_000;

  final List<Node> nodes = new ArrayList<>();
  final List<Cable> cables = new ArrayList<>();
  final Random random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNs).thenComparingLong(Event::order));
  private final int buffers;
  private final boolean hasOneClass;

  /** Of what others send, at nodes that start from now on. */
  int sharePercent = 50;

  /** What a listener of a test has found wrong; nodes go on without it. */
  private AssertionError wrong;

  private long nowNs;
  private long order;
  private long flowNumbers;

  private record Event(long atNs, long order, Runnable what) {}

  /**
   * @param buffers receives of each class on each cable, at each end
   * @param hasOneClass whether chunks of all classes share the receives of one: a mutant
   */
  SimulatedRelays(long seed, int buffers, boolean hasOneClass) {
    random = new Random(seed);
    this.buffers = buffers;
    this.hasOneClass = hasOneClass;
  }

  long nowNs() {
    return nowNs;
  }

  void after(long delayNs, Runnable what) {
    events.add(new Event(nowNs + delayNs, order++, what));
  }

  void runFor(long durationNs) {
    long endNs = nowNs + durationNs;
    while (!events.isEmpty() && events.peek().atNs() <= endNs) {
      Event next = events.poll();
      nowNs = next.atNs();
      next.what().run();
      if (wrong != null) {
        throw wrong;
      }
    }
    nowNs = endNs;
  }

  /** Whether it came true in time. */
  boolean runUntil(Predicate<SimulatedRelays> isTrue, long limitNs) {
    long endNs = nowNs + limitNs;
    while (!isTrue.test(this)) {
      if (nowNs >= endNs) {
        return false;
      }
      runFor(10 * MS_NS);
    }
    return true;
  }

  Node addNode() {
    Node node = new Node(new NodeNumber(0xA0 + nodes.size(), 1));
    nodes.add(node);
    node.start();
    return node;
  }

  Cable cable(int one, int other) {
    Cable cable = new Cable(nodes.get(one), nodes.get(other));
    cables.add(cable);
    cable.plugIn();
    return cable;
  }

  static SimulatedRelays line(long seed, int count) {
    return line(seed, count, 2, 50);
  }

  static SimulatedRelays line(long seed, int count, int buffers, int sharePercent) {
    SimulatedRelays relays = new SimulatedRelays(seed, buffers, false);
    relays.sharePercent = sharePercent;
    for (int i = 0; i < count; i++) {
      relays.addNode();
      if (i > 0) {
        relays.cable(i - 1, i);
      }
    }
    relays.runFor(SECOND_NS);
    return relays;
  }

  /** All nodes learn the graph as it is now, each a little later. */
  private void flood(long mostNs) {
    for (Node node : nodes) {
      after((long) (random.nextDouble() * mostNs), node::learn);
    }
  }

  /** A node of the mesh; its process may die and start again. */
  final class Node {
    final NodeNumber id;
    RelayNode relay;
    boolean isAlive;

    /** How often it has died. */
    int deaths;

    /** Its cables as it knows them; all that are plugged in, unless a test says otherwise. */
    Predicate<Cable> knows = cable -> true;

    private long pausedUntilNs;
    private boolean isTurnDue;
    private Set<NodeNumber> unwilling = Set.of();

    Node(NodeNumber id) {
      this.id = id;
    }

    void unwilling(Node... others) {
      unwilling = List.of(others).stream().map(each -> each.id).collect(Collectors.toSet());
    }

    void start() {
      isAlive = true;
      isTurnDue = false;
      relay =
          new RelayNode(
              id,
              true,
              () -> nowNs,
              () -> ++flowNumbers,
              CHUNK_BYTES,
              sharePercent,
              () -> wakeUp(this.relay));
      tick(relay);
      cables.stream().filter(each -> each.has(this)).forEach(Cable::plugInLater);
      flood(300 * MS_NS);
    }

    private void tick(RelayNode life) {
      if (life == relay && isAlive) {
        run(life, life::turn);
        after(RelayNode.TICK_NS, () -> tick(life));
      }
    }

    private void wakeUp(RelayNode life) {
      if (!isTurnDue) {
        isTurnDue = true;
        after(
            1_000,
            () ->
                run(
                    life,
                    () -> {
                      isTurnDue = false;
                      life.turn();
                    }));
      }
    }

    /** Something happens to one life of it: later if it pauses, never if that life is over. */
    void run(RelayNode life, Runnable what) {
      if (life != relay || !isAlive) {
        return;
      }
      if (nowNs < pausedUntilNs) {
        after(pausedUntilNs - nowNs, () -> run(life, what));
      } else {
        what.run();
      }
    }

    void pause(long forNs) {
      pausedUntilNs = nowNs + forNs;
    }

    void die() {
      isAlive = false;
      deaths++;
      cables.stream().filter(each -> each.has(this)).forEach(Cable::lost);
      flood(300 * MS_NS);
    }

    void learn() {
      run(
          relay,
          () -> {
            Set<NodeNumber> members = new TreeSet<>();
            nodes.stream().filter(each -> each.isAlive).forEach(each -> members.add(each.id));
            Set<NodeNumber> willing = new TreeSet<>(members);
            willing.removeAll(unwilling);
            List<Graph.Edge> edges =
                cables.stream()
                    .filter(each -> each.isPlugged && knows.test(each))
                    .map(each -> new Graph.Edge(each.one.id, each.other.id, 1000))
                    .toList();
            relay.graph(new Graph(edges, members, willing));
          });
    }
  }

  /** A cable: while it is plugged in and both nodes live, each end has a hop. */
  final class Cable {
    final Node one;
    final Node other;
    boolean isPlugged;
    private SimulatedHop atOne;
    private SimulatedHop atOther;
    private boolean isRetryDue;

    Cable(Node one, Node other) {
      this.one = one;
      this.other = other;
    }

    boolean has(Node node) {
      return node == one || node == other;
    }

    void plugIn() {
      isPlugged = true;
      plugInLater();
      flood(300 * MS_NS);
    }

    void plugInLater() {
      if (!isRetryDue) {
        isRetryDue = true;
        after(
            20 * MS_NS,
            () -> {
              isRetryDue = false;
              connect();
            });
      }
    }

    private void connect() {
      if (!isPlugged || !one.isAlive || !other.isAlive) {
        return;
      }
      if (isUsed(atOne, one) || isUsed(atOther, other)) {
        // The one before is still being noticed as lost.
        if (atOne.isLost) {
          plugInLater();
        }
        return;
      }
      atOne = new SimulatedHop(one, other);
      atOther = new SimulatedHop(other, one);
      atOne.far = atOther;
      atOther.far = atOne;
      atOne.begin();
      atOther.begin();
    }

    private boolean isUsed(SimulatedHop hop, Node node) {
      return hop != null && hop.life == node.relay && !hop.isEnded;
    }

    void cut() {
      isPlugged = false;
      lost();
      flood(300 * MS_NS);
    }

    /** Nothing passes any more; each end notices by itself. */
    private void lost() {
      for (SimulatedHop hop : new SimulatedHop[] {atOne, atOther}) {
        if (hop != null && !hop.isLost) {
          hop.isLost = true;
          after((long) (random.nextDouble() * 500 * MS_NS), hop::end);
        }
      }
    }

    /** The hop at the end of a node. */
    SimulatedHop at(Node node) {
      return node == one ? atOne : atOther;
    }
  }

  /** One end of a cable: in each class, chunks wait for receives of the far end. */
  final class SimulatedHop extends Hop {
    private final Node node;
    private final RelayNode life;
    private final List<ArrayDeque<Chunk>> receives = new ArrayList<>();
    private final List<ArrayDeque<Chunk>> sends = new ArrayList<>();
    private final List<Chunk> underWay = new ArrayList<>();
    private final List<Integer> underWayClasses = new ArrayList<>();
    private int sharedReceives = buffers;
    SimulatedHop far;
    private boolean isBegun;
    private boolean isLost;
    private boolean isEnded;

    /** Receives of others that are posted here or taken and not given back. */
    int taken;

    SimulatedHop(Node node, Node peer) {
      super(peer.id);
      this.node = node;
      life = node.relay;
      for (int i = 0; i <= ChunkHeader.MAX_HOPS; i++) {
        receives.add(new ArrayDeque<>());
        sends.add(new ArrayDeque<>());
        for (int k = 0; k < (hasOneClass ? 64 : buffers) && i > 0; k++) {
          receives.get(i).add(new Chunk(this, i, k, ByteBuffer.allocate(CHUNK_BYTES)));
        }
      }
    }

    private void begin() {
      after(
          (long) (random.nextDouble() * 20 * MS_NS),
          () ->
              node.run(
                  life,
                  () -> {
                    if (isLost) {
                      isEnded = true;
                      return;
                    }
                    isBegun = true;
                    List<Chunk> own = new ArrayList<>();
                    for (int i = 0; i < OWN_CHUNKS; i++) {
                      own.add(new Chunk(this, 0, i, ByteBuffer.allocate(CHUNK_BYTES)));
                    }
                    life.hopUp(this, own);
                    far.carryAll();
                  }));
    }

    private void end() {
      node.run(
          life,
          () -> {
            isEnded = true;
            life.hopDown(this);
            for (int i = 1; i <= ChunkHeader.MAX_HOPS; i++) {
              for (Chunk each : sends.get(i)) {
                gone(each, i);
              }
              sends.get(i).clear();
            }
            for (int i = 0; i < underWay.size(); i++) {
              gone(underWay.get(i), underWayClasses.get(i));
            }
            underWay.clear();
            underWayClasses.clear();
          });
    }

    private void gone(Chunk chunk, int hopClass) {
      after(1_000, () -> node.run(life, () -> life.sent(this, chunk, hopClass)));
    }

    @Override
    void send(Chunk chunk, int hopClass) {
      if (isEnded) {
        gone(chunk, hopClass);
        return;
      }
      sends.get(hopClass).add(chunk);
      carry(hopClass);
    }

    private void carryAll() {
      for (int i = 1; i <= ChunkHeader.MAX_HOPS; i++) {
        carry(i);
      }
    }

    /** A chunk leaves as soon as the far end has a receive of its class. */
    private void carry(int hopClass) {
      while (!isLost
          && far.isBegun
          && !sends.get(hopClass).isEmpty()
          && !far.receives.get(hopClass).isEmpty()
          && (!hasOneClass || far.sharedReceives > 0)) {
        far.sharedReceives--;
        Chunk chunk = sends.get(hopClass).poll();
        Chunk into = far.receives.get(hopClass).poll();
        underWay.add(chunk);
        underWayClasses.add(hopClass);
        after(LATENCY_NS, () -> arrive(chunk, into, hopClass));
      }
    }

    private void arrive(Chunk chunk, Chunk into, int hopClass) {
      if (isLost || !underWay.contains(chunk)) {
        return;
      }
      into.bytes.put(0, chunk.bytes, 0, chunk.lengthBytes);
      int lengthBytes = chunk.lengthBytes;
      far.taken++;
      far.node.run(far.life, () -> far.life.received(far, into, lengthBytes));
      after(
          LATENCY_NS,
          () ->
              node.run(
                  life,
                  () -> {
                    int at = underWay.indexOf(chunk);
                    if (at >= 0) {
                      underWay.remove(at);
                      underWayClasses.remove(at);
                      life.sent(this, chunk, hopClass);
                    }
                  }));
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(node.id + " to " + peer() + ":");
      for (int i = 1; i <= ChunkHeader.MAX_HOPS; i++) {
        text.append(" %d/%d".formatted(sends.get(i).size(), receives.get(i).size()));
      }
      return text.append(" under way " + underWayClasses)
          .append(" taken " + taken)
          .append(isBegun ? "" : " not begun")
          .append(isLost ? " lost" : "")
          .append(isEnded ? " ended" : "")
          .append(isUp ? "" : " down")
          .append(far.isBegun ? "" : " far not begun")
          .append("\n")
          .toString();
    }

    /** Its receives of a class are gone, as if none had been posted. */
    void stopsTaking(int hopClass) {
      receives.get(hopClass).clear();
    }

    @Override
    void receiveInto(Chunk chunk) {
      taken--;
      receives.get(chunk.hopClass).add(chunk);
      sharedReceives++;
      after(LATENCY_NS, () -> far.carryAll());
    }
  }

  /**
   * A program's end of a flow: sends bytes that the number of the flow makes, checks the peer's.
   */
  final class End implements OverlayFlow.Listener {
    final OverlayFlow flow;
    private final long seed;
    private final long toSend;
    private final long toReceive;
    private final boolean closes;
    long written;
    long received;
    boolean takes = true;
    OverlayFlow.End end;
    String evidence = "";

    /** Whether the node at the other end may send anything, so that nothing is checked. */
    private boolean isForged;

    End(OverlayFlow flow, long seed, long toSend, long toReceive, boolean closes) {
      this.flow = flow;
      this.seed = seed;
      this.toSend = toSend;
      this.toReceive = toReceive;
      this.closes = closes;
    }

    private static byte byteAt(long seed, long position) {
      return (byte) ((position * 0x9E3779B97F4A7C15L + seed) >>> 29);
    }

    void write() {
      while (written < toSend) {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(3000, toSend - written));
        for (int i = 0; i < bytes.capacity(); i++) {
          bytes.put(i, byteAt(seed, written + i));
        }
        int taken = flow.write(bytes);
        written += taken;
        if (taken < bytes.capacity()) {
          return;
        }
      }
      flow.flush();
      closeIfDone();
    }

    private void closeIfDone() {
      if (closes && written == toSend && received == toReceive) {
        flow.close();
      }
    }

    @Override
    public void onBytes(ByteBuffer bytes) {
      if (isForged) {
        bytes.position(bytes.limit());
      }
      while (takes && bytes.hasRemaining()) {
        byte is = bytes.get();
        byte expected = byteAt(~seed, received);
        if (is != expected || received == toReceive) {
          wrong =
              new AssertionError(
                  "byte %d of %d is %d instead of %d".formatted(received, toReceive, is, expected));
          throw wrong;
        }
        received++;
      }
      closeIfDone();
    }

    @Override
    public void onWritable() {
      write();
    }

    @Override
    public void onClosed(OverlayFlow.End newEnd, String newEvidence) {
      if (end != null) {
        wrong = new AssertionError("ended twice: " + end + " and " + newEnd);
        throw wrong;
      }
      end = newEnd;
      evidence = newEvidence;
    }

    boolean isDone() {
      return written == toSend && received == toReceive;
    }

    @Override
    public String toString() {
      return "%d of %d written, %d of %d received, %s %s, %s"
          .formatted(written, toSend, received, toReceive, end, evidence, flow);
    }
  }

  /** A flow between two programs, and how it went at both ends. */
  static final class Pair {
    final Node from;
    final Node to;
    final int deathsBefore;

    /** Whether the node that opens it lies. */
    boolean isForged;

    End near;
    End far;

    private Pair(Node from, Node to) {
      this.from = from;
      this.to = to;
      deathsBefore = from.deaths + to.deaths;
    }

    boolean isDone() {
      return near.isDone() && far != null && far.isDone() && far.end == OverlayFlow.End.CLOSED;
    }

    /** Whether a process of one of its ends has died since. */
    boolean hasLostAnEnd() {
      return from.deaths + to.deaths > deathsBefore;
    }

    @Override
    public String toString() {
      return from.id + " to " + to.id + ": " + near + "; " + far;
    }
  }

  /** Opens a flow between two nodes: so many bytes go there, and so many come back. */
  Pair open(int from, int to, int port, long bytesThere, long bytesBack) {
    Pair pair = new Pair(nodes.get(from), nodes.get(to));
    RelayNode life = pair.to.relay;
    acceptAlso(life, port, pair, bytesBack, bytesThere);
    Holder holder = new Holder();
    OverlayFlow flow = pair.from.relay.open(pair.to.id, port, holder);
    pair.near = new End(flow, port, bytesThere, bytesBack, true);
    holder.end = pair.near;
    RelayNode near = pair.from.relay;
    after(1_000, () -> pair.from.run(near, pair.near::write));
    keepAlive(pair.from, near, pair.near);
    return pair;
  }

  /** Programs that only wait ask from time to time whether the other end is there. */
  private void keepAlive(Node node, RelayNode life, End end) {
    after(
        SECOND_NS,
        () ->
            node.run(
                life,
                () -> {
                  if (end.end == null) {
                    end.flow.probe();
                    keepAlive(node, life, end);
                  }
                }));
  }

  private void acceptAlso(RelayNode life, int port, Pair pair, long toSend, long toReceive) {
    Acceptors acceptors = life.acceptor() instanceof Acceptors known ? known : new Acceptors();
    life.accept(acceptors);
    acceptors.byPort.put(
        port,
        flow -> {
          pair.far = new End(flow, ~port, toSend, toReceive, false);
          pair.far.isForged = pair.isForged;
          after(1_000, () -> pair.to.run(life, pair.far::write));
          keepAlive(pair.to, life, pair.far);
          return pair.far;
        });
  }

  /** The acceptor of one node, by port; each accepts once. */
  private static final class Acceptors implements io.meshtransport.spi.Overlay.Acceptor {
    final java.util.Map<Integer, java.util.function.Function<OverlayFlow, End>> byPort =
        new java.util.HashMap<>();

    @Override
    public OverlayFlow.Listener accept(OverlayFlow flow, String nodeId, int port) {
      java.util.function.Function<OverlayFlow, End> made = byPort.remove(port);
      return made == null ? null : made.apply(flow);
    }
  }

  /** Passes on to an end that is made after its flow. */
  private static final class Holder implements OverlayFlow.Listener {
    End end;

    @Override
    public void onBytes(ByteBuffer bytes) {
      end.onBytes(bytes);
    }

    @Override
    public void onWritable() {
      end.onWritable();
    }

    @Override
    public void onClosed(OverlayFlow.End how, String evidence) {
      end.onClosed(how, evidence);
    }
  }
}
