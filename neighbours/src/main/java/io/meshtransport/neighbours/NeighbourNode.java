// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.adjacency.AdjacencyListener;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.adjacency.HelloOutput;
import io.meshtransport.neighbours.adjacency.Hellos;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.Flooding;
import io.meshtransport.neighbours.linkstate.LinkStateDatabase;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.linkstate.OriginationPace;
import io.meshtransport.neighbours.linkstate.RecordListener;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.stats.NeighbourCounters;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.LivenessPort;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.verdict.ProbeAnswer;
import io.meshtransport.neighbours.verdict.VerdictListener;
import io.meshtransport.neighbours.verdict.Verdicts;
import io.meshtransport.neighbours.wire.DatagramBody;
import io.meshtransport.neighbours.wire.DatagramHeader;
import io.meshtransport.neighbours.wire.DatagramSeal;
import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;
import io.meshtransport.nic.Gid;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The neighbours' protocol of one node: hellos on every interface, and what follows from those of
 * others. Has no socket, no clock and no thread: datagrams, time and randomness are passed in, and
 * datagrams and events go out.
 *
 * <p>Confined to one thread, except {@link #counters()}. All times are nanoseconds from one origin
 * of the caller's choice, not negative, and never go back.
 */
public final class NeighbourNode {
  /** How long a goodbye is repeated where a neighbour does not acknowledge it: ten times. */
  static final long LEAVE_NS = TimeUnit.SECONDS.toNanos(1);

  /** Of this node. JOINED -> LEAVING, until all neighbours have its last record -> LEFT. */
  private enum Membership {
    JOINED,
    LEAVING,
    LEFT
  }

  private final NodeId id;
  private final long job;
  private final DatagramSeal seal;
  private final DatagramPort port;
  private final NeighbourListener listener;
  private final NeighbourCounters counters = new NeighbourCounters();
  private final Hellos hellos;
  private final Flooding flooding;
  private final OwnRecord own;
  private final DatagramDispatcher dispatcher;
  private final FindingWatch findings;
  private final Verdicts verdicts;

  private final ReportedNodes reported;
  private final OriginationPace pace;
  private MeshGraph graph;
  private MeshGraph reportedGraph = MeshGraph.of(List.of());

  /** The last counter of each interface that was ever used, so that none is used twice. */
  private final Map<Integer, Long> sentCounters = new HashMap<>();

  private Membership membership = Membership.JOINED;
  private long leaveUntilNs;

  /**
   * @param secret that all nodes share; empty if every host on a cable may be a neighbour
   * @param random draws nonces and jitter: a SecureRandom where there is a secret
   * @param port sends datagrams
   * @param liveness asks the hosts of neighbours whether their processes are there
   * @param listener receives what changes
   */
  public NeighbourNode(
      NodeIdentity identity,
      Optional<SharedSecret> secret,
      RandomGenerator random,
      DatagramPort port,
      LivenessPort liveness,
      NeighbourListener listener) {
    this.id = identity.id();
    this.job = identity.jobNumber();
    this.seal = new DatagramSeal(secret);
    this.port = port;
    this.listener = listener;
    this.hellos = new Hellos(id, random, new Output(), new Changes());
    this.own = new OwnRecord(identity, hellos, counters);
    this.flooding = new Flooding(id, this::send, new Records(), counters);
    this.dispatcher = new DatagramDispatcher(own, seal, hellos, flooding, counters);
    this.pace = new OriginationPace(0);
    RecentNodes recent = new RecentNodes(own::identity, hellos, this::graph);
    this.reported = new ReportedNodes(listener, recent::reported);
    this.findings = new FindingWatch(hellos, recent, listener);
    this.verdicts = new Verdicts(id, liveness, new Judged());
  }

  /** Who this node is; the incarnation is higher where others knew a later life of it. */
  public NodeIdentity identity() {
    return own.identity();
  }

  /**
   * All nodes that are known and the cables between them, those that cannot be reached included.
   */
  public MeshGraph graph() {
    if (graph == null) {
      graph = MeshGraph.of(flooding.database().records());
    }
    return graph;
  }

  /** What all nodes say of themselves. */
  public LinkStateDatabase database() {
    return flooding.database();
  }

  /**
   * Makes a service known to all nodes, or changes its handle.
   *
   * @param name 1 to 32 bytes of UTF-8
   * @param handle 0 to 512 bytes; copied
   * @throws IllegalArgumentException if it does not fit this node's record: 8 services of 1250
   *     bytes in all, names included
   */
  public void publish(String name, byte[] handle, long nowNs) {
    own.publish(name, handle);
    pace.changed(nowNs);
  }

  /** A service is there no longer; one that never was is ignored. */
  public void withdraw(String name, long nowNs) {
    if (own.withdraw(name)) {
      pace.changed(nowNs);
    }
  }

  /** What was sent and refused; any thread may read it. */
  public NeighbourCounters counters() {
    return counters;
  }

  /** What is wrong with the cabling, as of the last tick. */
  public List<Finding> findings() {
    return findings.findings();
  }

  /** The neighbours that both directions work with, one entry per cable. */
  public List<Adjacency> adjacencies() {
    return hellos.up();
  }

  /**
   * The link-local address of a neighbour at its end of the fastest cable to it, with this node's
   * interface as its scope; empty if it has a configured address on one of its cables here, and so
   * a subnet that tells the way.
   */
  public Optional<InetAddress> linkLocalAddress(NodeId neighbour) {
    List<Adjacency> cables =
        adjacencies().stream().filter(each -> each.id().peer().equals(neighbour)).toList();
    boolean isConfigured =
        cables.stream()
            .flatMap(each -> each.hello().addresses().stream())
            .anyMatch(address -> !address.isLinkLocal());
    return isConfigured
        ? Optional.empty()
        : cables.stream()
            .sorted(Comparator.comparingInt(each -> -each.hello().speedMbps()))
            .flatMap(NeighbourNode::linkLocalAddresses)
            .findFirst();
  }

  private static Stream<InetAddress> linkLocalAddresses(Adjacency cable) {
    return cable.hello().addresses().stream()
        .map(address -> Gid.of(address.address()))
        .filter(Gid::isLinkLocal)
        .map(gid -> gid.toAddress(cable.id().interfaceIndex()));
  }

  /** Where this node's cables lead now. */
  public CablePicture cables(long nowNs) {
    return new CablePicture(id, graph(), verdicts(), hellos.all(), nowNs);
  }

  /** The last verdict on each other node; the evidence went to the listener. */
  public List<NodeVerdict> verdicts() {
    return verdicts.all();
  }

  /** A connection attempt of {@link LivenessPort} has an answer. */
  public void answered(AdjacencyId cable, ProbeAnswer answer, long nowNs) {
    verdicts.answered(cable, answer, nowNs);
  }

  /** A connection of {@link LivenessPort} has ended, and not by this node. */
  public void ended(AdjacencyId cable, long nowNs) {
    verdicts.ended(cable, nowNs);
  }

  /**
   * Says which interfaces there are now: all that are up and have a carrier. To be called at first
   * and at every change.
   */
  public void interfaces(List<CableInterface> now, long nowNs) {
    hellos.interfaces(now, nowNs);
    pace.changed(nowNs);
  }

  /**
   * A datagram arrived.
   *
   * @param interfaceIndex the interface that it arrived on
   * @param source the address that it came from
   * @param datagram its bytes, all of them; neither changed nor kept
   */
  public void receive(int interfaceIndex, InetAddress source, byte[] datagram, long nowNs) {
    if (membership != Membership.LEFT) {
      dispatcher.receive(interfaceIndex, source, datagram, nowNs);
    }
  }

  /**
   * Does what is due.
   *
   * @return when the next tick is due at the latest; one that comes earlier does no harm
   */
  public long tick(long nowNs) {
    if (membership == Membership.LEFT) {
      return Long.MAX_VALUE;
    }
    hellos.tick(nowNs);
    if (membership == Membership.JOINED && pace.isDue(nowNs)) {
      originate(own.next(verdicts.downLinks()), nowNs);
    }
    flooding.tick(nowNs);
    verdicts.tick(graph(), nowNs);
    findings.tick(nowNs);
    reportCables();
    leaveIfAcknowledged(nowNs);
    return nextDueNs(nowNs);
  }

  private void reportCables() {
    MeshGraph before = reportedGraph;
    reportedGraph = graph();
    if (reportedGraph != before && !reportedGraph.edges().equals(before.edges())) {
      listener.cablesChanged(reportedGraph);
    }
  }

  private void originate(NodeRecord record, long nowNs) {
    pace.originated(nowNs);
    graph = null;
    flooding.originate(record, nowNs);
  }

  /** When the next tick is due: after each call of this node it may be earlier than before. */
  public long nextDueNs(long nowNs) {
    long nextNs =
        switch (membership) {
          case JOINED -> pace.nextDueNs();
          case LEAVING -> flooding.isUnderWay(id) ? leaveUntilNs : nowNs;
          case LEFT -> Long.MAX_VALUE;
        };
    return membership == Membership.LEFT
        ? nextNs
        : Math.min(
            Math.min(hellos.nextDueNs(), nextNs),
            Math.min(
                Math.min(flooding.nextDueNs(nowNs), findings.nextDueNs()),
                verdicts.nextDueNs(nowNs)));
  }

  /**
   * Begins to leave: its last record goes to all neighbours until they have acknowledged it, for a
   * second at most. Datagrams and ticks are wanted until {@link #hasLeft()}. A second call has no
   * effect.
   */
  public void leave(long nowNs) {
    if (membership == Membership.JOINED) {
      membership = Membership.LEAVING;
      leaveUntilNs = nowNs + LEAVE_NS;
      originate(own.last(), nowNs);
      leaveIfAcknowledged(nowNs);
    }
  }

  /** Whether it has said goodbye: from then on it sends nothing, and hears nothing. */
  public boolean hasLeft() {
    return membership == Membership.LEFT;
  }

  /** The last hello ends adjacencies, and with them the way of the last record: it comes behind. */
  private void leaveIfAcknowledged(long nowNs) {
    if (membership == Membership.LEAVING && (!flooding.isUnderWay(id) || nowNs >= leaveUntilNs)) {
      membership = Membership.LEFT;
      hellos.leave(nowNs);
    }
  }

  private byte[] seal(int interfaceIndex, DatagramBody body) {
    counters.count(NeighbourCounter.SENT);
    long counter = sentCounters.merge(interfaceIndex, 1L, Long::sum);
    return seal.encode(
        new DatagramHeader(
            body.type(), job, id, own.identity().incarnation(), interfaceIndex, counter),
        body);
  }

  private void send(AdjacencyId to, DatagramBody body) {
    hellos
        .get(to.interfaceIndex())
        .flatMap(on -> on.adjacency(to))
        .ifPresent(
            each ->
                port.toAddress(
                    to.interfaceIndex(), each.source(), seal(to.interfaceIndex(), body)));
  }

  /** Sends hellos. */
  private final class Output implements HelloOutput {
    @Override
    public NeighbourHello hello(CableInterface from, long nowNs) {
      return new NeighbourHello(
          membership == Membership.LEFT,
          own.identity().name(),
          own.identity().job(),
          from.name(),
          from.mtu(),
          from.speedMbps(),
          nowNs,
          flooding.database().digest(),
          from.addresses().stream().limit(NeighbourHello.MAX_ADDRESSES).toList(),
          List.of());
    }

    @Override
    public void toGroup(int interfaceIndex, NeighbourHello hello) {
      port.toGroup(interfaceIndex, seal(interfaceIndex, hello));
    }

    @Override
    public void toNeighbour(Adjacency to, NeighbourHello hello) {
      int interfaceIndex = to.id().interfaceIndex();
      port.toAddress(interfaceIndex, to.source(), seal(interfaceIndex, hello));
    }
  }

  /** Passes on what changes. */
  private final class Changes implements AdjacencyListener {
    @Override
    public void up(Adjacency adjacency, long nowNs) {
      pace.changed(nowNs);
      flooding.up(adjacency.id(), nowNs);
      String name =
          hellos.get(adjacency.id().interfaceIndex()).map(on -> on.local().name()).orElse("");
      verdicts.up(adjacency, name, nowNs);
      listener.adjacencyUp(adjacency);
    }

    @Override
    public void down(Adjacency adjacency, DownReason reason, long nowNs) {
      pace.changed(nowNs);
      flooding.down(adjacency.id());
      verdicts.down(adjacency, reason, nowNs);
      listener.adjacencyDown(adjacency, reason);
    }

    @Override
    public void heard(Adjacency adjacency, long nowNs) {
      if (own.lacksLatency(adjacency)) {
        pace.changed(nowNs);
      }
      verdicts.heard(adjacency, nowNs);
      flooding.digest(adjacency.id(), adjacency.hello().databaseDigest(), nowNs);
    }
  }

  /** Passes on verdicts, and what they make known. */
  private final class Judged implements VerdictListener {
    @Override
    public void verdict(NodeVerdict verdict) {
      reported.judged(verdict);
      listener.verdict(verdict);
    }

    @Override
    public void cut(CableCut cut) {
      listener.cableCut(cut);
    }

    @Override
    public void conditionChanged(long nowNs) {
      pace.changed(nowNs);
    }

    @Override
    public void processGone(NodeId node, long incarnation, long nowNs) {
      hellos.processGone(node, incarnation, nowNs);
    }
  }

  /** Reports what changes in the database. */
  private final class Records implements RecordListener {
    @Override
    public void stored(NodeRecord record, long nowNs) {
      graph = null;
      verdicts.stored(record, nowNs);
      if (record.left()) {
        reported.removed(record);
      } else {
        reported.stored(record, verdicts.isJudged(record));
      }
    }

    @Override
    public void expired(NodeRecord record, long nowNs) {
      graph = null;
      verdicts.expired(record);
      reported.removed(record);
    }

    @Override
    public void outrun(RecordVersion newer, long nowNs) {
      if (own.outrun(newer)) {
        pace.changed(nowNs);
        if (membership == Membership.LEAVING) {
          originate(own.last(), nowNs);
        }
      }
    }
  }
}
