// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A triangle whose cable from a to c is pulled under a transfer and plugged in again. One thread;
 * the fabric stays the caller's.
 */
public final class FailoverDemo {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration TRANSFER = Duration.ofSeconds(180);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** Damping doubles its pauses while the cable is out. */
  private static final Duration BACK = Duration.ofSeconds(40);

  /** More than a rail that stands by sends in a moment, and less than a message takes. */
  private static final long KEEPALIVE_CHUNKS = 16;

  private static final long SEED = 20_261_124;
  private static final double MIB = 1 << 20;

  private final Fabric fabric;
  private final FailoverPlan plan;
  private final FailoverFault fault;
  private final Consumer<String> step;

  /**
   * @param fabric of a triangle of a, b and c, with real cables
   * @param fault of the cable from a to c
   * @param step told what happens next, for people
   */
  public FailoverDemo(
      Fabric fabric, FailoverPlan plan, FailoverFault fault, Consumer<String> step) {
    this.fabric = fabric;
    this.plan = plan;
    this.fault = fault;
    this.step = step;
  }

  /** Runs it, with a JVM per node. */
  public FailoverReport run(NodeJvm jvm) {
    step.accept("three nodes join the mesh, a JVM each, with a relay each");
    try (FailoverProcess a = FailoverProcess.start(fabric, "a", jvm);
        FailoverProcess b = FailoverProcess.start(fabric, "b", jvm);
        FailoverProcess c = FailoverProcess.start(fabric, "c", jvm)) {
      for (FailoverProcess each : new FailoverProcess[] {a, b, c}) {
        each.send(new FailoverCommand.AwaitNodes(fabric.topology().nodes().size()));
      }
      for (FailoverProcess each : new FailoverProcess[] {a, b, c}) {
        each.awaitEvent(FailoverEvent.Done.class, slow(START));
      }
      return run(a, b, c);
    }
  }

  private FailoverReport run(FailoverProcess a, FailoverProcess b, FailoverProcess c) {
    Cable direct = fabric.topology().cablesBetween("a", "c").get(0);
    String size = "%.0f MiB".formatted(plan.bytes() / MIB);
    step.accept("a sends " + size + " to c, over " + direct);
    begin(a, c, plan.bytes());
    a.awaitEvent(FailoverEvent.Halfway.class, slow(TRANSFER));
    long before = count(b).relayedBytes();
    step.accept("half of it is there, and the cable is " + fault.happens());
    fault.begin(fabric, direct);
    FailoverEvent.Received received = c.awaitEvent(FailoverEvent.Received.class, slow(TRANSFER));
    FailoverEvent.Sent sent = a.awaitEvent(FailoverEvent.Sent.class, slow(TRANSFER));
    long relayedBytes = count(b).relayedBytes() - before;
    step.accept(
        "all of it is there; longest gap %s; %.0f MiB went over b"
            .formatted(fault.besideGoal(received.longestGapMs()), relayedBytes / MIB));
    fault.end(fabric, direct);
    step.accept("the cable is " + fault.isOver() + " again");
    long backMs = awaitDirect(a, c);
    step.accept(
        backMs >= 0
            ? "the channel is on its cable again, %d ms after the plug".formatted(backMs)
            : "the channel is not on its cable again");
    FailoverReport report =
        new FailoverReport(
            FailoverReport.PASS,
            plan.bytes(),
            received.longestGapMs(),
            fault.goalMs(),
            relayedBytes,
            backMs);
    if (!received.sha256().equals(sent.sha256())) {
      return report.failedAfterAll("c has received other bytes than a has sent");
    }
    if (relayedBytes == 0) {
      return report.failedAfterAll("nothing went over b");
    }
    if (received.longestGapMs() > plan.limitMs()) {
      return report.failedAfterAll(
          "a gap of %d ms, more than %d".formatted(received.longestGapMs(), plan.limitMs()));
    }
    return backMs >= 0 ? report : report.failedAfterAll("bytes still go by the relay");
  }

  private void begin(FailoverProcess a, FailoverProcess c, long bytes) {
    c.send(new FailoverCommand.Receive(bytes, plan.messageBytes()));
    a.send(new FailoverCommand.Send("c", bytes, plan.messageBytes(), SEED));
  }

  private FailoverEvent.Counted count(FailoverProcess at) {
    at.send(new FailoverCommand.Count());
    return at.awaitEvent(FailoverEvent.Counted.class, slow(ANSWER));
  }

  /** Sends until nothing of it goes by the relay: for how long, or -1 if that does not come. */
  private long awaitDirect(FailoverProcess a, FailoverProcess c) {
    long beganNs = System.nanoTime();
    while (System.nanoTime() - beganNs < slow(BACK).toNanos()) {
      long before = count(a).sentChunks();
      begin(a, c, plan.probeBytes());
      a.awaitEvent(FailoverEvent.Halfway.class, slow(TRANSFER));
      a.awaitEvent(FailoverEvent.Sent.class, slow(TRANSFER));
      c.awaitEvent(FailoverEvent.Received.class, slow(TRANSFER));
      if (count(a).sentChunks() - before < KEEPALIVE_CHUNKS) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
      }
    }
    return -1;
  }

  private Duration slow(Duration limit) {
    return limit.multipliedBy(fabric.slowness());
  }
}
