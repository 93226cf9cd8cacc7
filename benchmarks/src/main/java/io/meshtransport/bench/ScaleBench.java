// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * What channels cost as they become many: to set up, to have, and to use. Between network
 * namespaces, on the soft provider. Used once, by one thread.
 */
public final class ScaleBench {
  private static final int MTU_BYTES = 9000;
  private static final int AT_ONCE = 100;
  private static final int MESSAGE_BYTES = 16 << 10;
  private static final double MEGA = 1e6;

  /** Longer than any connection is kept for the next handshake. */
  private static final long IDLE_CONNECTION_NS = TimeUnit.MILLISECONDS.toNanos(2500);

  private final ScalePlan plan;
  private final NodeJvm jvm;
  private final Consumer<String> progress;

  /**
   * @param jvm how nodes are started
   * @param progress receives a line for each step
   */
  public ScaleBench(ScalePlan plan, NodeJvm jvm, Consumer<String> progress) {
    this.plan = plan;
    this.jvm = jvm;
    this.progress = progress;
  }

  /**
   * Measures everything.
   *
   * @throws io.meshtransport.topology.FabricException if the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a node does not
   */
  public ScaleReport run() {
    List<ScaleReport.Pair> pair = new ArrayList<>();
    for (int channels : plan.channels()) {
      pair.add(pair(channels));
    }
    List<ScaleReport.Mesh> meshes = new ArrayList<>();
    for (int nodes : plan.nodes()) {
      meshes.add(mesh(nodes));
    }
    return new ScaleReport(pair, meshes, Machine.describe(), plan.rounds(), jvm.settings());
  }

  /** Fresh JVMs for each number: what an earlier one has left behind would count as this one's. */
  private ScaleReport.Pair pair(int channels) {
    int atOnce = Math.min(channels, AT_ONCE);
    try (Fabric fabric = Fabric.namespaces(Topologies.PAIR.withMtu(MTU_BYTES));
        ScaleNodes nodes = new ScaleNodes(fabric, jvm)) {
      nodes.connectPair(channels, atOnce);
      List<ScaleReport.SetUp> rounds = new ArrayList<>();
      for (int round = 0; round < plan.rounds(); round++) {
        nodes.disconnect();
        rounds.add(nodes.connectPair(channels, atOnce));
      }
      nodes.disconnect();
      awaitIdleConnectionsClosed();
      Footprint senderBefore = nodes.footprint(0, plan.millis());
      Footprint receiverBefore = nodes.footprint(1, plan.millis());
      nodes.connectPair(channels, atOnce);
      awaitIdleConnectionsClosed();
      Footprint sender = nodes.footprint(0, plan.millis());
      Footprint receiver = nodes.footprint(1, plan.millis());
      double rate = nodes.transfer(MESSAGE_BYTES, plan.millis()) * MESSAGE_BYTES / MEGA;
      ScaleReport.Pair result =
          new ScaleReport.Pair(
              channels,
              atOnce,
              median(rounds),
              idle(senderBefore, sender, channels),
              idle(receiverBefore, receiver, channels),
              sender.processors() + receiver.processors(),
              sender.threads(),
              rate);
      progress.accept(
          String.format(
              Locale.ROOT,
              "%d channels: %.0f set up per second, p50 %.1f ms, p99 %.1f ms, %.0f MB/s",
              channels,
              result.setUp().connectionsPerSecond(),
              result.setUp().p50Ms(),
              result.setUp().p99Ms(),
              rate));
      return result;
    }
  }

  /** Until handshakes keep no connections any more: those are theirs, and no channel's. */
  private static void awaitIdleConnectionsClosed() {
    long end = System.nanoTime() + IDLE_CONNECTION_NS;
    for (long left = IDLE_CONNECTION_NS; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private ScaleReport.Mesh mesh(int count) {
    try (Fabric fabric = Fabric.namespaces(Topologies.fullMesh(count).withMtu(MTU_BYTES));
        ScaleNodes nodes = new ScaleNodes(fabric, jvm)) {
      nodes.connectAll();
      List<ScaleReport.SetUp> rounds = new ArrayList<>();
      for (int round = 0; round < plan.rounds(); round++) {
        nodes.disconnect();
        rounds.add(nodes.connectAll());
      }
      ScaleReport.Mesh result = new ScaleReport.Mesh(count, count * (count - 1), median(rounds));
      progress.accept(
          String.format(
              Locale.ROOT,
              "%d nodes, %d channels: %.0f set up per second, p50 %.1f ms, p99 %.1f ms",
              count,
              result.channels(),
              result.setUp().connectionsPerSecond(),
              result.setUp().p50Ms(),
              result.setUp().p99Ms()));
      return result;
    }
  }

  private static ScaleReport.Idle idle(Footprint before, Footprint after, int channels) {
    return new ScaleReport.Idle(
        (double) (after.heapBytes() - before.heapBytes()) / channels,
        (double) (after.directBytes() - before.directBytes()) / channels,
        (double) (after.residentBytes() - before.residentBytes()) / channels,
        (double) (after.descriptors() - before.descriptors()) / channels);
  }

  private static ScaleReport.SetUp median(List<ScaleReport.SetUp> rounds) {
    return new ScaleReport.SetUp(
        Comparison.median(rounds.stream().map(ScaleReport.SetUp::connectionsPerSecond).toList()),
        Comparison.median(rounds.stream().map(ScaleReport.SetUp::p50Ms).toList()),
        Comparison.median(rounds.stream().map(ScaleReport.SetUp::p99Ms).toList()));
  }
}
