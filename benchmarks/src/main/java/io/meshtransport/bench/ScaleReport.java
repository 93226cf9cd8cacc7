// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.List;
import java.util.Map;

/**
 * What a run has shown, as {@code --json} writes it.
 *
 * @param pair two nodes with more and more channels between them
 * @param meshes more and more nodes with a channel in each direction between each two
 * @param machine it ran on, in words
 * @param rounds of set-ups, whose medians are reported
 * @param settings MESH_ settings of all nodes
 */
public record ScaleReport(
    List<Pair> pair, List<Mesh> meshes, String machine, int rounds, Map<String, String> settings) {
  public ScaleReport {
    pair = List.copyOf(pair);
    meshes = List.copyOf(meshes);
    settings = Map.copyOf(settings);
  }

  /**
   * How long channels took to set up.
   *
   * @param connectionsPerSecond all of them, from the first connect to the last that is ready
   * @param p50Ms of one, from its connect until it is ready
   * @param p99Ms of the slowest in a hundred
   */
  public record SetUp(double connectionsPerSecond, double p50Ms, double p99Ms) {}

  /**
   * What an idle channel consumes at one end: the difference between some and none, divided by
   * their number.
   *
   * @param heapBytes of objects
   * @param directBytes of direct buffers
   * @param residentBytes of all memory the kernel counts, which wavers by megabytes in all
   * @param descriptors open
   */
  public record Idle(
      double heapBytes, double directBytes, double residentBytes, double descriptors) {}

  /**
   * A number of channels between two nodes.
   *
   * @param channels from one to the other
   * @param atOnce concurrent set-ups at most
   * @param sender idle, at the end that sends
   * @param receiver idle, at the end that receives
   * @param processors part of one processor that both processes take with that many idle channels
   * @param threads of the sender's process
   * @param megabytesPerSecond of messages on all channels in turn
   */
  public record Pair(
      int channels,
      int atOnce,
      SetUp setUp,
      Idle sender,
      Idle receiver,
      double processors,
      int threads,
      double megabytesPerSecond) {}

  /**
   * A mesh.
   *
   * @param nodes each a process of its own
   * @param channels of all together
   */
  public record Mesh(int nodes, int channels, SetUp setUp) {}
}
