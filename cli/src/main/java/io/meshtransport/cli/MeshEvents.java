// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What a node of the mesh notices, a line per event with its time. The agent's thread adds lines
 * and never waits for the reader; what does not fit is counted.
 */
final class MeshEvents implements NeighbourListener {
  static final int MAX_WAITING = 10_000;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

  private final Supplier<LocalTime> clock;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>(MAX_WAITING);
  private int dropped;

  MeshEvents(Supplier<LocalTime> clock) {
    this.clock = clock;
  }

  /** The next line; null if there is none within the time. */
  String next(long timeoutMs) throws InterruptedException {
    return lines.poll(timeoutMs, TimeUnit.MILLISECONDS);
  }

  private void add(String kind, String text) {
    String time = TIME.format(clock.get());
    if (dropped > 0 && lines.offer(time + "  lost   " + dropped + " lines, not read in time")) {
      dropped = 0;
    }
    if (!lines.offer("%s  %-5s  %s".formatted(time, kind, text))) {
      dropped++;
    }
  }

  @Override
  public void adjacencyUp(Adjacency adjacency) {
    add(
        "up",
        "a cable to %s/%s, heard at %s"
            .formatted(
                adjacency.hello().name(),
                adjacency.hello().interfaceName(),
                adjacency.source().getHostAddress()));
  }

  @Override
  public void adjacencyDown(Adjacency adjacency, DownReason reason) {
    add(
        "down",
        "a cable to %s/%s: %s"
            .formatted(
                adjacency.hello().name(), adjacency.hello().interfaceName(), reason.description()));
  }

  @Override
  public void verdict(NodeVerdict verdict) {
    add("node", verdict.toString());
  }

  @Override
  public void cableCut(CableCut cut) {
    add("cut", cut.evidence());
  }

  @Override
  public void found(Finding finding) {
    add("wrong", finding.toString());
  }

  @Override
  public void cleared(Finding finding) {
    add("right", finding.subject() + ": no longer so: " + finding.text());
  }
}
