// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.CableProof;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeCommand;
import io.meshtransport.topology.NodeEvent;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.RunningMesh;
import io.meshtransport.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One run of the demo on a fabric. One thread; the fabric stays the caller's. */
final class Demo {
  private static final Duration STEP_TIMEOUT = Duration.ofSeconds(20);
  private static final long SEED = 20_261_120;

  private final Fabric fabric;
  private final Topology topology;
  private final DemoPlan plan;
  private final DemoProgress progress;
  private final Duration stepTimeout;

  Demo(Fabric fabric, DemoPlan plan, DemoProgress progress) {
    this.fabric = fabric;
    this.topology = fabric.topology();
    this.plan = plan;
    this.progress = progress;
    this.stepTimeout = STEP_TIMEOUT.multipliedBy(fabric.slowness());
  }

  DemoReport run(NodeJvm jvm) {
    progress.step("starting " + topology.nodes().size() + " nodes, a JVM each");
    try (RunningMesh mesh =
        RunningMesh.start(fabric, jvm, (node, step) -> progress.arrived(step))) {
      progress.step("every node connects to every peer and accepts from it");
      Map<String, List<NodeEvent.Link>> links = mesh.connectAll(plan.bufferBytes(), stepTimeout);
      progress.exchanging(plan, links.values().stream().mapToInt(List::size).sum());
      mesh.exchange(plan.exchange(), SEED, stepTimeout);
      progress.step("measuring latency and throughput, one direction at a time");
      List<DemoReport.Channel> channels = new ArrayList<>();
      links.forEach((from, out) -> out.forEach(link -> channels.add(measure(mesh, from, link))));
      return report(mesh, channels);
    }
  }

  private DemoReport.Channel measure(RunningMesh mesh, String from, NodeEvent.Link link) {
    String to = link.peer();
    long timeoutMs = stepTimeout.toMillis();
    int pings = plan.pingWarmUps() + plan.pings();
    mesh.node(to).send(new NodeCommand.Pong(from, pings, DemoPlan.PING_BYTES, timeoutMs));
    mesh.node(from)
        .send(
            new NodeCommand.Ping(
                to, plan.pingWarmUps(), plan.pings(), DemoPlan.PING_BYTES, SEED, timeoutMs));
    NodeEvent.Latency latency = mesh.node(from).awaitEvent(NodeEvent.Latency.class, stepTimeout);
    mesh.node(to).awaitEvent(NodeEvent.Done.class, stepTimeout);
    return channel(from, link, latency, throughput(mesh, from, to));
  }

  private double throughput(RunningMesh mesh, String from, String to) {
    long timeoutMs = stepTimeout.toMillis();
    mesh.node(to)
        .send(
            new NodeCommand.StreamIn(
                from,
                plan.streamMessages(),
                DemoPlan.STREAM_BYTES,
                DemoPlan.STREAM_DEPTH,
                SEED,
                timeoutMs));
    mesh.node(from)
        .send(
            new NodeCommand.StreamOut(
                to,
                plan.streamMessages(),
                DemoPlan.STREAM_BYTES,
                DemoPlan.STREAM_DEPTH,
                SEED,
                timeoutMs));
    double megabytesPerSecond =
        mesh.node(from).awaitEvent(NodeEvent.Throughput.class, stepTimeout).megabytesPerSecond();
    mesh.node(to).awaitEvent(NodeEvent.Done.class, stepTimeout);
    return megabytesPerSecond;
  }

  private DemoReport.Channel channel(
      String from, NodeEvent.Link link, NodeEvent.Latency latency, double megabytesPerSecond) {
    // A node that finds a wrong byte fails the run, so a run that gets here has seen none.
    boolean verified = true;
    return new DemoReport.Channel(
        from,
        link.peer(),
        link.localNic(),
        link.peerAddress(),
        link.subnet(),
        link.handshakeNs() / (double) TimeUnit.MILLISECONDS.toNanos(1),
        plan.checkedMessages(),
        plan.checkedBytes(),
        megabytesPerSecond,
        latency.p50Micros(),
        latency.p99Micros(),
        verified);
  }

  private DemoReport report(RunningMesh mesh, List<DemoReport.Channel> channels) {
    long wrong = bytesOnWrongRoute(channels);
    if (fabric.hasRealCables()) {
      wrong += CableProof.of(fabric).bytesOnWrongCable(2 * plan.allBytes(), 2 * plan.allMessages());
    }
    return new DemoReport(
        topology.name(),
        mesh.opened(topology.nodes().get(0)).provider(),
        topology.nodes(),
        channels,
        wrong,
        wrong == 0 ? DemoReport.PASS : "FAIL: " + wrong + " bytes on a wrong cable");
  }

  /** Bytes of channels that say themselves that they do not use a cable of their pair. */
  private long bytesOnWrongRoute(List<DemoReport.Channel> channels) {
    return channels.stream()
        .filter(
            channel ->
                topology.cablesBetween(channel.from(), channel.to()).stream()
                    .noneMatch(cable -> cable.subnet().equals(channel.subnet())))
        .mapToLong(channel -> plan.allBytes())
        .sum();
  }
}
