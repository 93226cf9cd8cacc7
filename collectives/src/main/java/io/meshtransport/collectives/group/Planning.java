// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.FloodProgram;
import io.meshtransport.collectives.exec.Schedules;
import io.meshtransport.collectives.exec.StreamPlan;
import io.meshtransport.collectives.exec.TreeProgram;
import java.util.ArrayList;
import java.util.List;

/** Chooses how each operation of a group is carried out; the same on every rank. */
final class Planning {
  private static final int MIN_CHUNK_BYTES = 16 << 10;
  private static final int MAX_CHUNK_BYTES = 256 << 10;

  /** Chunks of a share, at least: so that reducing one overlaps with sending the next. */
  private static final int MIN_CHUNKS = 4;

  private static final long ONE_SHOT_BYTES = 32 << 10;

  private final GroupRoutes routes;

  Planning(GroupRoutes routes) {
    this.routes = routes;
  }

  Blueprint blueprint(OperationSpec spec) {
    int bytes = spec.arithmetic(routes.size()).elementBytes();
    long count = spec.units();
    return switch (spec.kind()) {
      case BARRIER -> flood(0, FloodProgram.Ending.REDUCE, spec);
      case ALL_REDUCE ->
          isShort(count * bytes)
              ? flood((int) count, FloodProgram.Ending.REDUCE, spec)
              : trees(Schedules.allReduce(routes, count, bytes), bytes, spec);
      case ALL_GATHER ->
          isShort(count * bytes)
              ? flood((int) count, FloodProgram.Ending.GATHER, spec)
              : trees(Schedules.allGather(routes, count, bytes), bytes, spec);
      case REDUCE -> trees(Schedules.reduce(routes, spec.root(), count, bytes), bytes, spec);
      case BROADCAST -> trees(Schedules.broadcast(routes, spec.root(), count, bytes), bytes, spec);
      case REDUCE_SCATTER -> trees(Schedules.reduceScatter(routes, count, bytes), bytes, spec);
      case ALL_TO_ALL -> trees(Schedules.allToAll(routes, count, bytes), bytes, spec);
      case SEND_RECEIVE ->
          trees(Schedules.sendReceive(routes, spec.root(), spec.destination(), count), bytes, spec);
    };
  }

  private static boolean isShort(long bytes) {
    return bytes <= ONE_SHOT_BYTES;
  }

  private Blueprint flood(int count, FloodProgram.Ending ending, OperationSpec spec) {
    List<int[]> trees = new ArrayList<>();
    for (int rank = 0; rank < routes.size(); rank++) {
      trees.add(routes.shortest(rank));
    }
    return Blueprint.of(
        new FloodProgram(trees, count, ending),
        spec.text() + ": one-shot, from each rank to all over shortest paths");
  }

  private Blueprint trees(List<StreamPlan> streams, int elementBytes, OperationSpec spec) {
    long longest = streams.stream().mapToLong(StreamPlan::elements).max().orElse(0);
    long chunkBytes =
        Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, longest * elementBytes / MIN_CHUNKS));
    int chunk = (int) Math.max(1, chunkBytes / elementBytes);
    return Blueprint.of(
        new TreeProgram(streams, chunk),
        spec.text() + ": " + streams.size() + " trees, chunks of " + chunk + " elements");
  }
}
