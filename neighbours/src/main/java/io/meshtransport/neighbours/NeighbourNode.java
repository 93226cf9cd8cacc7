// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyListener;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import io.meshtransport.neighbours.adjacency.HelloOutput;
import io.meshtransport.neighbours.adjacency.Hellos;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.stats.NeighbourCounters;
import io.meshtransport.neighbours.wire.DatagramBody;
import io.meshtransport.neighbours.wire.DatagramHeader;
import io.meshtransport.neighbours.wire.DatagramSeal;
import io.meshtransport.neighbours.wire.DatagramType;
import io.meshtransport.neighbours.wire.MalformedDatagram;
import io.meshtransport.neighbours.wire.NeighbourHello;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The neighbours' protocol of one node: hellos on every interface, and what follows from those of
 * others. Has no socket, no clock and no thread: datagrams, time and randomness are passed in, and
 * datagrams and events go out.
 *
 * <p>Confined to one thread, except {@link #counters()}. All times are nanoseconds from one origin
 * of the caller's choice, not negative, and never go back.
 */
public final class NeighbourNode {
  private final NodeIdentity identity;
  private final long job;
  private final DatagramSeal seal;
  private final DatagramPort port;
  private final NeighbourListener listener;
  private final NeighbourCounters counters = new NeighbourCounters();
  private final Hellos hellos;
  private final FindingWatch findings;

  /** The last counter of each interface that was ever used, so that none is used twice. */
  private final Map<Integer, Long> sentCounters = new HashMap<>();

  private boolean isLeaving;

  /**
   * @param secret that all nodes share; empty if every host on a cable may be a neighbour
   * @param random draws nonces and jitter: a SecureRandom where there is a secret
   * @param port sends datagrams
   * @param listener receives what changes
   */
  public NeighbourNode(
      NodeIdentity identity,
      Optional<SharedSecret> secret,
      RandomGenerator random,
      DatagramPort port,
      NeighbourListener listener) {
    this.identity = identity;
    this.job = identity.jobNumber();
    this.seal = new DatagramSeal(secret);
    this.port = port;
    this.listener = listener;
    this.hellos = new Hellos(identity.id(), random, new Output(), new Changes());
    this.findings = new FindingWatch(hellos, this::names, listener);
  }

  /** Who this node is. */
  public NodeIdentity identity() {
    return identity;
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

  private Map<NodeId, String> names() {
    Map<NodeId, String> names = new HashMap<>();
    for (HelloInterface each : hellos.all()) {
      each.adjacencies().forEach(one -> names.put(one.id().peer(), one.hello().name()));
    }
    names.put(identity.id(), identity.name());
    return names;
  }

  /**
   * Says which interfaces there are now: all that are up and have a carrier. To be called at first
   * and at every change.
   */
  public void interfaces(List<CableInterface> now, long nowNs) {
    hellos.interfaces(now, nowNs);
  }

  /**
   * A datagram arrived.
   *
   * @param interfaceIndex the interface that it arrived on
   * @param source the address that it came from
   * @param datagram its bytes, all of them; neither changed nor kept
   */
  public void receive(int interfaceIndex, InetAddress source, byte[] datagram, long nowNs) {
    counters.count(NeighbourCounter.RECEIVED);
    Optional<HelloInterface> on = hellos.get(interfaceIndex);
    if (on.isEmpty()) {
      counters.count(NeighbourCounter.UNKNOWN_INTERFACE);
      return;
    }
    try {
      receive(on.get(), source, datagram, nowNs).ifPresent(counters::count);
    } catch (MalformedDatagram e) {
      counters.count(NeighbourCounter.MALFORMED);
    }
  }

  private Optional<NeighbourCounter> receive(
      HelloInterface on, InetAddress source, byte[] datagram, long nowNs) throws MalformedDatagram {
    if (!on.admits(nowNs)) {
      return Optional.of(NeighbourCounter.OVER_RATE);
    }
    if (!on.local().isOnLink(source)) {
      return Optional.of(NeighbourCounter.OFF_LINK);
    }
    DatagramHeader header = DatagramHeader.decode(datagram);
    if (!seal.matches(datagram)) {
      return Optional.of(foreignSecret(on, header, datagram, nowNs));
    }
    if (header.job() != job) {
      if (header.type() == DatagramType.HELLO) {
        NeighbourHello hello = NeighbourHello.decode(DatagramSeal.body(datagram));
        on.evidence().otherJob(hello.name() + " of job '" + hello.job() + "'", nowNs);
      }
      return Optional.of(NeighbourCounter.OTHER_JOB);
    }
    if (header.sender().equals(identity.id()) && header.incarnation() == identity.incarnation()) {
      on.evidence().ownInterface(header.interfaceIndex(), nowNs);
      return Optional.of(NeighbourCounter.REFLECTED);
    }
    if (header.sender().equals(identity.id())) {
      return Optional.of(NeighbourCounter.OLD_INCARNATION);
    }
    return accept(on, header, source, datagram, nowNs);
  }

  private Optional<NeighbourCounter> accept(
      HelloInterface on, DatagramHeader header, InetAddress source, byte[] datagram, long nowNs)
      throws MalformedDatagram {
    if (header.type() == DatagramType.HELLO) {
      NeighbourHello hello = NeighbourHello.decode(DatagramSeal.body(datagram));
      return on.heard(header, hello, source, nowNs);
    }
    return on.refusal(header);
  }

  /** A hello with another trailer is worth a finding if it is whole. */
  private NeighbourCounter foreignSecret(
      HelloInterface on, DatagramHeader header, byte[] datagram, long nowNs)
      throws MalformedDatagram {
    if (!seal.isOfAnotherSecret(datagram)) {
      return NeighbourCounter.MALFORMED;
    }
    if (header.type() == DatagramType.HELLO) {
      NeighbourHello hello = NeighbourHello.decode(DatagramSeal.body(datagram));
      on.evidence().otherSecret(hello.name() + "/" + hello.interfaceName(), nowNs);
    }
    return NeighbourCounter.OTHER_SECRET;
  }

  /**
   * Does what is due.
   *
   * @return when the next tick is due at the latest; one that comes earlier does no harm
   */
  public long tick(long nowNs) {
    hellos.tick(nowNs);
    findings.tick(nowNs);
    return nextDueNs();
  }

  /** When the next tick is due: after each call of this node it may be earlier than before. */
  public long nextDueNs() {
    return Math.min(hellos.nextDueNs(), findings.nextDueNs());
  }

  /** Says goodbye to all neighbours; the last call. */
  public void leave(long nowNs) {
    isLeaving = true;
    hellos.leave(nowNs);
  }

  private byte[] seal(int interfaceIndex, DatagramBody body) {
    counters.count(NeighbourCounter.SENT);
    long counter = sentCounters.merge(interfaceIndex, 1L, Long::sum);
    return seal.encode(
        new DatagramHeader(
            body.type(), job, identity.id(), identity.incarnation(), interfaceIndex, counter),
        body);
  }

  /** Sends hellos. */
  private final class Output implements HelloOutput {
    @Override
    public NeighbourHello hello(CableInterface from, long nowNs) {
      return new NeighbourHello(
          isLeaving,
          identity.name(),
          identity.job(),
          from.name(),
          from.mtu(),
          from.speedMbps(),
          nowNs,
          0,
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
      listener.adjacencyUp(adjacency);
    }

    @Override
    public void down(Adjacency adjacency, DownReason reason, long nowNs) {
      listener.adjacencyDown(adjacency, reason);
    }

    @Override
    public void heard(Adjacency adjacency, long nowNs) {}
  }
}
