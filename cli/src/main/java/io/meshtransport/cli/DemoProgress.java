// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.NodeEvent;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Tells a user who waits what the demo is at. Any thread. */
final class DemoProgress {
  private static final double MIB = 1 << 20;
  private static final long SAY_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final PrintWriter out;
  private final long beginNs = System.nanoTime();
  private long saidNs;
  private long messages;
  private long bytes;
  private long expectedMessages;
  private boolean ended;

  DemoProgress(PrintWriter out) {
    this.out = out;
  }

  synchronized void step(String what) {
    if (ended) {
      return;
    }
    long elapsedNs = System.nanoTime() - beginNs;
    out.printf("%5.1f s  %s%n", elapsedNs / (double) TimeUnit.SECONDS.toNanos(1), what);
    out.flush();
    saidNs = System.nanoTime();
  }

  /** Prints this as it is. */
  synchronized void print(String text) {
    if (!ended) {
      out.println(text);
      out.flush();
    }
  }

  /** Prints this line, and nothing after it, another last line included. */
  synchronized void printLast(String line) {
    if (ended) {
      return;
    }
    ended = true;
    out.println(line);
    out.flush();
  }

  synchronized void exchanging(DemoPlan plan, int channels) {
    expectedMessages = channels * plan.exchangeMessages();
    step(
        "%d messages of 0 B to %.0f MiB over %d channels, both directions at once"
            .formatted(expectedMessages, plan.longestBytes() / MIB, channels));
  }

  synchronized void arrived(NodeEvent.Progress progress) {
    messages += progress.messages();
    bytes += progress.bytes();
    if (messages == expectedMessages || System.nanoTime() - saidNs > SAY_AGAIN_NS) {
      step(
          "%d of %d messages arrived, %.0f MiB, every byte checked"
              .formatted(messages, expectedMessages, bytes / MIB));
    }
  }
}
