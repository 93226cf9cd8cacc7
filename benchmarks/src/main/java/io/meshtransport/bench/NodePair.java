// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Two JVMs of ours, at the first node of a fabric and the last, each a {@link BenchNode}; at nodes
 * between them are others, which are only opened. Started for the first round, and kept, so that
 * later rounds find compiled code. Between rounds they sleep. One thread.
 */
final class NodePair implements MeasuredSystem {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration WARM_UP = Duration.ofMillis(300);
  private static final Duration GRACE = Duration.ofSeconds(60);

  /** Compiler threads are kept: the processor time of a thread that ends is no longer counted. */
  private static final String KEEP_COMPILERS = "-XX:-UseDynamicNumberOfCompilerThreads";

  private final Fabric fabric;
  private final String name;
  private final BenchEnds ends;
  private final NodeJvm jvm;
  private final Workload workload;
  private final List<Metric> metrics;
  private final Duration firstWarmUp;
  private final Optional<Path> recordings;

  /** All nodes, and those of them that measure. */
  private List<End> all = List.of();

  private List<End> nodes = List.of();

  private WarmUp warmUp = WarmUp.NONE;

  /** The harness's end of one of them. */
  private static final class End extends ProgramProcess<BenchNodeCommand, BenchEvent> {
    private End(Fabric fabric, String node, NodeJvm jvm) {
      super(
          node,
          start(fabric, node, jvm, node),
          BenchEvent.class,
          event -> false,
          jvm.errorsOf(node));
    }
  }

  /**
   * @param fabric of two nodes or more; the caller's
   * @param name for tables
   * @param firstWarmUp before the first round, again and again while JVMs compile the path; zero
   *     for JVMs that are measured cold
   * @param recordings names flight recordings; what is behind the last dash is added
   */
  NodePair(
      Fabric fabric,
      String name,
      BenchEnds ends,
      NodeJvm jvm,
      Workload workload,
      List<Metric> metrics,
      Duration firstWarmUp,
      Optional<Path> recordings) {
    this.firstWarmUp = firstWarmUp;
    this.fabric = fabric;
    this.name = name;
    this.ends = ends;
    this.jvm =
        jvm.running(
            BenchNode.class.getName(), "-Xmx128m", "-XX:MaxDirectMemorySize=400m", KEEP_COMPILERS);
    this.workload = workload;
    this.metrics = List.copyOf(metrics);
    this.recordings = recordings;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Double> measure(double seconds, int round) {
    RunResult result = run(seconds, round);
    return metrics.stream().map(metric -> metric.of().applyAsDouble(result)).toList();
  }

  /**
   * Runs the workload once.
   *
   * @throws FabricException if the ends do not agree how many messages there were
   */
  RunResult run(double seconds, int round) {
    if (nodes.isEmpty()) {
      connect();
      if (!firstWarmUp.isZero()) {
        warmUp = WarmUp.untilCompiled(firstWarmUp, this::compilerNanosOfAWarmUp);
      }
    }
    Duration time = Duration.ofMillis((long) (seconds * 1000));
    List<BenchEvent.Measured> both = once(WARM_UP, time, node -> recording(node, round));
    return new RunResult(
        both.get(0).measurement(),
        both.get(1).measurement(),
        both.get(0).processor().plus(both.get(1).processor()));
  }

  private long compilerNanosOfAWarmUp() {
    return once(Duration.ZERO, firstWarmUp, node -> "").stream()
        .mapToLong(measured -> measured.processor().compilerNanos())
        .sum();
  }

  @Override
  public String remark() {
    return warmUp.remark();
  }

  /** The initiator's measurement of one run, then the responder's. */
  private List<BenchEvent.Measured> once(
      Duration warmUp, Duration time, Function<End, String> recording) {
    Duration limit = warmUp.plus(time).plus(GRACE);
    nodes.forEach(
        node ->
            node.send(
                new BenchNodeCommand.Run(
                    workload,
                    initiates(node),
                    warmUp.toMillis(),
                    time.toMillis(),
                    recording.apply(node))));
    List<BenchEvent.Measured> both =
        nodes.stream().map(node -> node.awaitEvent(BenchEvent.Measured.class, limit)).toList();
    Measurement initiated = both.get(0).measurement();
    Measurement responded = both.get(1).measurement();
    if (initiated.total() != responded.total()
        || initiated.verified() + responded.verified() == 0) {
      throw new FabricException(
          "%s miscounted: %d messages left %s, %d came to %s; %d and %d of them were compared"
              .formatted(
                  name(),
                  initiated.total(),
                  nodes.get(0).name(),
                  responded.total(),
                  nodes.get(1).name(),
                  initiated.verified(),
                  responded.verified()));
    }
    return both;
  }

  private boolean initiates(End node) {
    return node == nodes.get(0);
  }

  private String recording(End node, int round) {
    return recordings
        .map(name -> "%s-%d-%s.jfr".formatted(name.toAbsolutePath(), round, node.name()))
        .orElse("");
  }

  private void connect() {
    Duration start = START.multipliedBy(fabric.slowness());
    all = fabric.topology().nodes().stream().map(node -> new End(fabric, node, jvm)).toList();
    nodes = List.of(all.get(0), all.get(all.size() - 1));
    all.forEach(
        node ->
            node.send(
                new BenchNodeCommand.Open(ends, PairAddresses.address(fabric, all.indexOf(node)))));
    List<String> opened =
        all.stream()
            .map(node -> node.awaitEvent(BenchEvent.Opened.class, start).address())
            .toList();
    String last = opened.get(opened.size() - 1);
    List<End> between = all.subList(1, all.size() - 1);
    between.forEach(node -> node.send(new BenchNodeCommand.PassOn(last)));
    // Where a process copies, what the initiator connects to is that.
    String first = ends == BenchEnds.COPIED_SOCKET ? opened.get(1) : last;
    List<String> addresses = List.of(opened.get(0), first);
    for (int i = 0; i < nodes.size(); i++) {
      nodes
          .get(i)
          .send(
              new BenchNodeCommand.Connect(
                  addresses.get(1 - i), initiates(nodes.get(i)), workload.connections()));
    }
    all.forEach(node -> node.awaitEvent(BenchEvent.Connected.class, start));
  }

  @Override
  public void close() {
    all.forEach(ProgramProcess::close);
    all = List.of();
    nodes = List.of();
  }
}
