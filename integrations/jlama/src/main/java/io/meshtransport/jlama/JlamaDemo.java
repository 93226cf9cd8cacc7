// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * One prompt, answered three ways on the nodes of a fabric: by its first node alone, by all with
 * sums over an all-reduce, and by all with sums over a star around the first. Used once, by one
 * thread.
 */
public final class JlamaDemo {
  private static final String HEAP = "-Xmx512m";

  /**
   * The model is mapped, not read into the heap; these are a prompt's tensors and gRPC's buffers.
   */
  private static final String DIRECT = "-XX:MaxDirectMemorySize=512m";

  private final Fabric fabric;
  private final JlamaDemoPlan plan;
  private final Consumer<String> steps;
  private final int[] prompt;
  private final Map<String, ShardProcess> nodes = new LinkedHashMap<>();

  /**
   * @param fabric whose nodes all have a cable to the first
   * @param steps prints what it does
   */
  public JlamaDemo(Fabric fabric, JlamaDemoPlan plan, Consumer<String> steps) {
    this.fabric = fabric;
    this.plan = plan;
    this.steps = steps;
    this.prompt = RandomLlama.tokens(plan.prompt());
    plan.model().shape().checkShards(fabric.topology().nodes().size());
  }

  /**
   * How a node's JVM is started: as if this host's processors were divided among the nodes.
   *
   * @param settings MESH_ settings for all nodes
   * @param options for the JVM, besides those
   */
  public static NodeJvm jvm(
      int processors, Map<String, String> settings, List<String> options, boolean echo) {
    List<String> all = new ArrayList<>(options);
    all.add("-XX:ActiveProcessorCount=" + processors);
    // Jlama's kernels; the JVM warns that the module is incubating.
    all.add("--add-modules=jdk.incubator.vector");
    // Of the queues that Jlama uses.
    all.add("--sun-misc-unsafe-memory-access=allow");
    return new NodeJvm(settings, all, echo).running(ShardNode.class.getName(), HEAP, DIRECT);
  }

  /** A node's part of this host's processors, one at least. */
  public static int processorsPerNode(Topology topology) {
    return Math.max(1, Runtime.getRuntime().availableProcessors() / topology.nodes().size());
  }

  /**
   * Runs it.
   *
   * @param jvm as {@link #jvm} makes it
   * @throws io.meshtransport.topology.NodeFailure if a node fails
   */
  public JlamaDemoReport run(NodeJvm jvm) {
    Path folder = newFolder();
    try {
      plan.model().write(folder);
      steps.accept("a model of %.0f MB".formatted(plan.model().shape().weightBytes() / 1e6));
      fabric
          .topology()
          .nodes()
          .forEach(node -> nodes.put(node, ShardProcess.start(fabric, node, jvm)));
      return compare(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("the model in " + folder, e);
    } finally {
      nodes.values().parallelStream().forEach(ShardProcess::close);
      remove(folder);
    }
  }

  private static Path newFolder() {
    try {
      Path folder = Files.createTempDirectory("mesh-jlama");
      // A signal may end this process before it is removed. The last one is deleted first.
      folder.toFile().deleteOnExit();
      RandomLlama.FILES.forEach(file -> folder.resolve(file).toFile().deleteOnExit());
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void remove(Path folder) {
    try {
      for (String file : RandomLlama.FILES) {
        Files.deleteIfExists(folder.resolve(file));
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JlamaDemoReport compare(Path folder) {
    String first = fabric.topology().nodes().get(0);
    nodes.get(first).execute(load(folder, 0, 1), ShardEvent.Done.class);
    List<Generation> alone = answers(List.of(nodes.get(first)), first + " alone");
    List<Integer> tokens = alone.get(0).tokens();
    List<JlamaDemoReport.Way> ways = new ArrayList<>();
    ways.add(way("one node", 1, alone, tokens));

    List<ShardProcess> all = List.copyOf(nodes.values());
    for (int shard = 0; shard < all.size(); shard++) {
      all.get(shard).send(load(folder, shard, all.size()));
    }
    all.forEach(node -> node.await(ShardEvent.Done.class));
    joinMesh(all);
    ways.add(way("all-reduce over the mesh", all.size(), answers(all, "over the mesh"), tokens));
    leave(all);
    joinStar(first);
    ways.add(way("gRPC star of Jlama's shape", all.size(), answers(all, "over the star"), tokens));
    leave(all);
    return JlamaDemoReport.of(
        plan.model().shape(), processorsPerNode(fabric.topology()), tokens, ways);
  }

  private static ShardCommand load(Path folder, int shard, int shards) {
    return new ShardCommand.Load(folder.toString(), shard, shards);
  }

  private void joinMesh(List<ShardProcess> all) {
    all.forEach(node -> node.send(new ShardCommand.JoinMesh(List.copyOf(nodes.keySet()))));
    all.forEach(node -> node.await(ShardEvent.Joined.class));
  }

  private void joinStar(String center) {
    ShardProcess hub = nodes.get(center);
    int port =
        hub.execute(new ShardCommand.OpenStar(nodes.size()), ShardEvent.StarOpened.class).port();
    nodes.forEach(
        (name, node) ->
            node.execute(
                new ShardCommand.JoinStar(address(center, name), port), ShardEvent.Joined.class));
  }

  /** How one node reaches another: by the address at their cable. */
  private String address(String of, String from) {
    return of.equals(from)
        ? "127.0.0.1"
        : fabric
            .topology()
            .cablesBetween(of, from)
            .get(0)
            .end(of)
            .address()
            .address()
            .getHostAddress();
  }

  private static void leave(List<ShardProcess> all) {
    all.forEach(node -> node.send(new ShardCommand.Leave()));
    all.forEach(node -> node.await(ShardEvent.Done.class));
  }

  /**
   * The answers of all nodes in the runs that count, the first node's at the multiples of nodes.
   */
  private List<Generation> answers(List<ShardProcess> by, String how) {
    List<Generation> answers = new ArrayList<>();
    for (int run = -plan.warmUps(); run < plan.runs(); run++) {
      by.forEach(node -> node.send(new ShardCommand.Generate(prompt, plan.tokens())));
      List<Generation> answered =
          by.stream().map(node -> node.await(ShardEvent.Generated.class).generation()).toList();
      steps.accept(
          "%s: %.1f tokens/s%s"
              .formatted(how, answered.get(0).tokensPerSecond(), run < 0 ? ", to warm up" : ""));
      if (run >= 0) {
        answers.addAll(answered);
      }
    }
    return answers;
  }

  private static JlamaDemoReport.Way way(
      String name, int count, List<Generation> answers, List<Integer> tokens) {
    List<Generation> ofFirst = new ArrayList<>();
    for (int i = 0; i < answers.size(); i += count) {
      ofFirst.add(answers.get(i));
    }
    double[] rates = sorted(ofFirst, Generation::tokensPerSecond);
    double[] promptNs = sorted(ofFirst, Generation::promptNs);
    return new JlamaDemoReport.Way(
        name,
        count,
        rates[rates.length / 2],
        rates[0],
        rates[rates.length - 1],
        promptNs[promptNs.length / 2] / 1e6,
        answers.stream().allMatch(answer -> answer.tokens().equals(tokens)));
  }

  private static double[] sorted(List<Generation> answers, ToDoubleFunction<Generation> figure) {
    return answers.stream().mapToDouble(figure).sorted().toArray();
  }
}
