// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All nodes of a fabric; each command goes to all of them at once. The creator closes it; one
 * thread.
 */
final class ScaleNodes implements AutoCloseable {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final Duration LIMIT = Duration.ofSeconds(120);

  private final List<ScaleProcess> nodes = new ArrayList<>();
  private final List<byte[]> handles = new ArrayList<>();

  ScaleNodes(Fabric fabric, NodeJvm jvm) {
    for (String node : fabric.topology().nodes()) {
      nodes.add(ScaleProcess.start(fabric, node, jvm));
    }
    nodes.forEach(node -> node.send(new ScaleCommand.Open()));
    nodes.forEach(node -> handles.add(node.awaitEvent(ScaleEvent.Opened.class, LIMIT).handle()));
  }

  /** Channels from the first node to the second. */
  ScaleReport.SetUp connectPair(int channels, int atOnce) {
    nodes.get(1).send(new ScaleCommand.Connect(List.of(), channels, atOnce));
    nodes
        .get(0)
        .send(new ScaleCommand.Connect(Collections.nCopies(channels, handles.get(1)), 0, atOnce));
    return connected();
  }

  /** A channel from each to each. */
  ScaleReport.SetUp connectAll() {
    for (ScaleProcess node : nodes) {
      List<byte[]> peers = new ArrayList<>(handles);
      peers.remove(nodes.indexOf(node));
      node.send(new ScaleCommand.Connect(peers, peers.size(), peers.size()));
    }
    return connected();
  }

  private ScaleReport.SetUp connected() {
    long slowestNanos = 0;
    List<Long> setUps = new ArrayList<>();
    for (ScaleProcess node : nodes) {
      ScaleEvent.Connected connected = node.awaitEvent(ScaleEvent.Connected.class, LIMIT);
      slowestNanos = Math.max(slowestNanos, connected.nanos());
      setUps.addAll(connected.setUpNanos());
    }
    Collections.sort(setUps);
    return new ScaleReport.SetUp(
        setUps.size() * NANOS_PER_SECOND / slowestNanos,
        percentile(setUps, 0.50) / NANOS_PER_MILLI,
        percentile(setUps, 0.99) / NANOS_PER_MILLI);
  }

  private static long percentile(List<Long> sorted, double part) {
    return sorted.get((int) Math.ceil(part * sorted.size()) - 1);
  }

  /** What one of them consumes. */
  Footprint footprint(int index, long idleMs) {
    nodes.get(index).send(new ScaleCommand.Measure(idleMs));
    return nodes.get(index).awaitEvent(ScaleEvent.Measured.class, LIMIT).footprint();
  }

  /** Messages per second from the first node to the second, on all channels. */
  double transfer(int messageBytes, long timeMs) {
    nodes.get(1).send(new ScaleCommand.Transfer(false, messageBytes, timeMs));
    nodes.get(0).send(new ScaleCommand.Transfer(true, messageBytes, timeMs));
    ScaleEvent.Transferred sent = nodes.get(0).awaitEvent(ScaleEvent.Transferred.class, LIMIT);
    ScaleEvent.Transferred received = nodes.get(1).awaitEvent(ScaleEvent.Transferred.class, LIMIT);
    if (sent.messages() != received.messages()) {
      throw new FabricException(
          "%d messages were sent, %d arrived".formatted(sent.messages(), received.messages()));
    }
    return sent.messages() * NANOS_PER_SECOND / sent.nanos();
  }

  void disconnect() {
    nodes.forEach(node -> node.send(new ScaleCommand.Disconnect()));
    nodes.forEach(node -> node.awaitEvent(ScaleEvent.Done.class, LIMIT));
  }

  @Override
  public void close() {
    nodes.forEach(ProgramProcess::close);
  }
}
