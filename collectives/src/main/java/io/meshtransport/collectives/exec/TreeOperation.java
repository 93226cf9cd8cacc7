// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.TreeSet;

/** An operation whose elements go over trees, chunk by chunk. */
final class TreeOperation implements Operation {
  private final TreeStream[] byIndex;
  private final TreeStream[] streams;

  TreeOperation(
      Links links,
      int operation,
      TreeProgram program,
      int rank,
      Arithmetic arithmetic,
      Local local,
      Peers peers) {
    byIndex = new TreeStream[program.streams().size()];
    int count = 0;
    for (int i = 0; i < byIndex.length; i++) {
      if (program.streams().get(i).has(rank)) {
        byIndex[i] = new TreeStream(links, operation, i, program, rank, arithmetic, local, peers);
        count++;
      }
    }
    streams = new TreeStream[count];
    int next = 0;
    for (TreeStream each : byIndex) {
      if (each != null) {
        streams[next++] = each;
      }
    }
  }

  @Override
  public void start() {
    for (TreeStream each : streams) {
      each.start();
    }
  }

  @Override
  public boolean isDone() {
    for (TreeStream each : streams) {
      if (!each.isDone()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean notice(int rank, int kind, int count, int stream) {
    return stream < byIndex.length
        && byIndex[stream] != null
        && byIndex[stream].notice(rank, kind, count);
  }

  @Override
  public void putDone(int stream, int way) {
    byIndex[stream].putDone(way);
  }

  @Override
  public void advance() {
    for (TreeStream each : streams) {
      each.advance();
    }
  }

  @Override
  public void missing(TreeSet<Integer> ranks) {
    for (TreeStream each : streams) {
      each.missing(ranks);
    }
  }
}
