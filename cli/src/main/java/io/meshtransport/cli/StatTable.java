// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Two samples of a process as text: what is open, and how fast it goes. Immutable. */
final class StatTable {
  private static final double BYTES_OF_MB = 1e6;
  private static final double NS_OF_SECOND = 1e9;

  private final long pid;
  private final StatSample now;
  private final Map<Long, StatSample.Channel> before = new HashMap<>();
  private final double seconds;

  /** A channel with its rates. */
  private record Row(StatSample.Channel channel, double megabytes, double messages) {}

  /**
   * @param before the sample before, from which the rates are counted
   */
  StatTable(long pid, StatSample before, StatSample now) {
    this.pid = pid;
    this.now = now;
    this.seconds = (now.takenNs() - before.takenNs()) / NS_OF_SECOND;
    for (StatSample.Node node : before.nodes()) {
      node.channels().forEach(channel -> this.before.put(channel.number(), channel));
    }
  }

  /**
   * The text.
   *
   * @param maxRows of each node; the busiest channels come first
   */
  String text(int maxRows) {
    StringJoiner text = new StringJoiner(System.lineSeparator());
    for (StatSample.Node node : now.nodes()) {
      text.add(text(node, maxRows));
    }
    return text.toString();
  }

  private String text(StatSample.Node node, int maxRows) {
    String end = System.lineSeparator();
    StringBuilder text = new StringBuilder();
    text.append("node ").append(node.label()).append(", process ").append(pid).append(": ");
    if (node.channels().isEmpty()) {
      return text.append("no open channels").append(end).toString();
    }
    List<Row> rows = rows(node);
    text.append("open channels: ").append(rows.size()).append(end);
    TextTable table =
        new TextTable(
            "peer", "route", "direction", "state", "in flight", "oldest ms", "MB/s", "messages/s");
    List<String> failures = new ArrayList<>();
    for (Row row : rows.subList(0, Math.min(rows.size(), maxRows))) {
      StatSample.Channel channel = row.channel();
      table.row(
          channel.peer(),
          channel.route(),
          channel.direction(),
          channel.state(),
          dashed(channel.pending()),
          dashed(channel.oldestMs()),
          Numbers.figure(row.megabytes()),
          Numbers.figure(row.messages()));
      if (!channel.failure().isEmpty()) {
        failures.add(channel.failure());
      }
    }
    text.append(table);
    if (rows.size() > maxRows) {
      text.append("... and ").append(rows.size() - maxRows).append(" slower ones").append(end);
    }
    failures.forEach(failure -> text.append("FAILED: ").append(failure).append(end));
    return text.toString();
  }

  private static String dashed(long value) {
    return value < 0 ? "-" : Long.toString(value);
  }

  private List<Row> rows(StatSample.Node node) {
    return node.channels().stream()
        .map(this::row)
        .sorted(
            Comparator.comparingDouble(Row::megabytes)
                .thenComparingDouble(Row::messages)
                .reversed()
                .thenComparingLong(row -> row.channel().number()))
        .toList();
  }

  /** A channel that the sample before does not have has begun since, from nothing. */
  private Row row(StatSample.Channel channel) {
    StatSample.Channel then = before.get(channel.number());
    long bytes = channel.bytes() - (then == null ? 0 : then.bytes());
    long messages = channel.messages() - (then == null ? 0 : then.messages());
    return new Row(channel, bytes / BYTES_OF_MB / seconds, messages / seconds);
  }
}
