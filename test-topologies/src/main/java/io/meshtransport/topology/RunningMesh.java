// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * A node's JVM at each node of a fabric, with its transport open and listening. The harness plays
 * the framework: it carries the handles. The caller that started it closes it; the fabric stays.
 * One thread.
 */
public final class RunningMesh implements AutoCloseable {
  /** A JVM's start on a busy host with two cores takes a second or two. */
  private static final Duration START_LIMIT = Duration.ofSeconds(30);

  private final Fabric fabric;
  private final NodeJvm jvm;
  private final BiConsumer<String, NodeEvent.Progress> progress;
  private final Map<String, NodeProcess> nodes = new LinkedHashMap<>();
  private final Map<String, NodeEvent.Opened> opened = new TreeMap<>();

  private RunningMesh(Fabric fabric, NodeJvm jvm, BiConsumer<String, NodeEvent.Progress> progress) {
    this.fabric = fabric;
    this.jvm = jvm;
    this.progress = progress;
  }

  /** Starts all nodes and waits until each listens. */
  public static RunningMesh start(Fabric fabric, NodeJvm jvm) {
    return start(fabric, jvm, (node, step) -> {});
  }

  /**
   * As above.
   *
   * @param progress sees, on another thread, what arrives at which node
   */
  public static RunningMesh start(
      Fabric fabric, NodeJvm jvm, BiConsumer<String, NodeEvent.Progress> progress) {
    RunningMesh mesh = new RunningMesh(fabric, jvm, progress);
    try {
      for (String node : fabric.topology().nodes()) {
        mesh.nodes.put(node, mesh.startProcess(node));
      }
      mesh.nodes.values().forEach(node -> node.send(new NodeCommand.Open()));
      Duration startLimit = START_LIMIT.multipliedBy(fabric.slowness());
      mesh.nodes.forEach(
          (name, node) ->
              mesh.opened.put(name, node.awaitEvent(NodeEvent.Opened.class, startLimit)));
      return mesh;
    } catch (RuntimeException e) {
      mesh.close();
      throw e;
    }
  }

  /**
   * Starts one more process at a node, which opens no transport until a command does. The caller
   * closes it.
   */
  public NodeProcess startProcess(String node) {
    return NodeProcess.start(fabric, node, jvm, step -> progress.accept(node, step));
  }

  /** What it runs on. */
  public Fabric fabric() {
    return fabric;
  }

  /** A node. */
  public NodeProcess node(String name) {
    return nodes.get(name);
  }

  /** The event with which a node reported that it listens. */
  public NodeEvent.Opened opened(String name) {
    return opened.get(name);
  }

  /**
   * Lets every node connect to, and accept from, each node it shares a cable with, all at once.
   *
   * @param bufferBytes capacity for messages per peer and direction
   * @return the links out of each node
   */
  public Map<String, List<NodeEvent.Link>> connectAll(int bufferBytes, Duration timeout) {
    startConnect(bufferBytes, timeout);
    Map<String, List<NodeEvent.Link>> links = new TreeMap<>();
    nodes.forEach(
        (name, node) ->
            links.put(name, node.awaitEvent(NodeEvent.Connected.class, margin(timeout)).links()));
    return links;
  }

  /** The first half of {@link #connectAll}: the answers are still to be heard. */
  public void startConnect(int bufferBytes, Duration timeout) {
    nodes.forEach(
        (name, node) -> {
          Map<String, byte[]> handles = new TreeMap<>();
          for (String peer : fabric.topology().peersOf(name)) {
            handles.put(peer, opened.get(peer).handle());
          }
          node.send(new NodeCommand.Connect(handles, bufferBytes, timeout.toMillis()));
        });
  }

  /**
   * Lets every node send the same batches to all its peers at once, and check what it gets.
   *
   * @return what arrived at each node
   */
  public Map<String, NodeEvent.Exchanged> exchange(
      List<NodeCommand.Batch> batches, long seed, Duration timeout) {
    startExchange(batches, seed, timeout);
    Map<String, NodeEvent.Exchanged> arrived = new TreeMap<>();
    nodes.forEach(
        (name, node) ->
            arrived.put(name, node.awaitEvent(NodeEvent.Exchanged.class, margin(timeout))));
    return arrived;
  }

  /** The first half of {@link #exchange}: the answers are still to be heard. */
  public void startExchange(List<NodeCommand.Batch> batches, long seed, Duration timeout) {
    nodes
        .values()
        .forEach(node -> node.send(new NodeCommand.Exchange(batches, seed, timeout.toMillis())));
  }

  /** A node gives up by itself after its time-out; only a lost node is waited for this long. */
  private static Duration margin(Duration timeout) {
    return timeout.multipliedBy(3).plusSeconds(10);
  }

  /** Ends all nodes. */
  @Override
  public void close() {
    List<NodeProcess> ending = new ArrayList<>(nodes.values());
    nodes.clear();
    ending.parallelStream().forEach(NodeProcess::close);
  }
}
