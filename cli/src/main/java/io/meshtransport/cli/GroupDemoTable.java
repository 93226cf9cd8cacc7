// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.jgroups.demo.CableUse;
import io.meshtransport.jgroups.demo.GroupDelivery;
import io.meshtransport.jgroups.demo.GroupDemoReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What a demo of JGroups has shown, as people read it. */
final class GroupDemoTable {
  private static final double MILLIS = TimeUnit.SECONDS.toMillis(1);

  private GroupDemoTable() {}

  static String of(GroupDemoReport report) {
    StringBuilder text = new StringBuilder();
    report.deliveries().forEach(delivery -> text.append(delivery(delivery, report.nodes())));
    if (!report.cables().isEmpty()) {
      text.append(cables(report.cables()));
    }
    return text.append(checks(report.checks())).toString();
  }

  /** A line for each member, a column for each sender. */
  private static String delivery(GroupDelivery delivery, List<String> nodes) {
    List<String> headings = new ArrayList<>(List.of(delivery.stack()));
    nodes.forEach(node -> headings.add("from " + node));
    headings.add("sees");
    TextTable table = new TextTable(headings.toArray(String[]::new));
    for (String receiver : nodes) {
      List<String> cells = new ArrayList<>(List.of(receiver));
      nodes.forEach(sender -> cells.add(received(delivery, receiver, sender)));
      cells.add(String.join(" ", delivery.views().getOrDefault(receiver, List.of())));
      table.row(cells.toArray(String[]::new));
    }
    return table + System.lineSeparator();
  }

  private static String received(GroupDelivery delivery, String receiver, String sender) {
    return delivery.pairs().stream()
        .filter(pair -> pair.receiver().equals(receiver) && pair.sender().equals(sender))
        .findFirst()
        .map(pair -> pair.received() + " of " + delivery.expected())
        .orElse("-");
  }

  private static String cables(List<CableUse> uses) {
    TextTable table =
        new TextTable("pair", "cable", "bytes sent", "on this cable", "on all others");
    for (CableUse use : uses) {
      table.row(
          use.pair(),
          use.subnet(),
          String.valueOf(use.payloadBytes()),
          String.valueOf(use.ownBytes()),
          String.valueOf(use.otherBytes()));
    }
    return table + System.lineSeparator();
  }

  private static String checks(List<GroupDemoReport.Check> checks) {
    TextTable table = new TextTable("check", "", "s", "found");
    for (GroupDemoReport.Check check : checks) {
      table.row(
          check.what(),
          verdict(check),
          String.format(Locale.ROOT, "%.1f", check.millis() / MILLIS),
          check.found());
    }
    return table.toString();
  }

  private static String verdict(GroupDemoReport.Check check) {
    if (!check.decides()) {
      return "for comparison";
    }
    return check.holds() ? "PASS" : "FAIL";
  }
}
