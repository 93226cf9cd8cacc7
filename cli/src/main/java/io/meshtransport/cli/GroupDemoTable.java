// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.jgroups.demo.CableUse;
import io.meshtransport.jgroups.demo.GroupDemoReport;
import io.meshtransport.jgroups.demo.Hearing;
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
    report.hearings().forEach(hearing -> text.append(hearing(hearing, report.nodes())));
    if (!report.cables().isEmpty()) {
      text.append(cables(report.cables()));
    }
    return text.append(checks(report.checks())).toString();
  }

  /** A line for each member, a column for each it should hear. */
  private static String hearing(Hearing hearing, List<String> nodes) {
    List<String> headings = new ArrayList<>(List.of(hearing.stack()));
    nodes.forEach(node -> headings.add("hears " + node));
    headings.add("sees");
    TextTable table = new TextTable(headings.toArray(String[]::new));
    for (String listener : nodes) {
      List<String> cells = new ArrayList<>(List.of(listener));
      nodes.forEach(sender -> cells.add(heard(hearing, listener, sender)));
      cells.add(String.join(" ", hearing.views().getOrDefault(listener, List.of())));
      table.row(cells.toArray(String[]::new));
    }
    return table + System.lineSeparator();
  }

  private static String heard(Hearing hearing, String listener, String sender) {
    return hearing.lines().stream()
        .filter(line -> line.listener().equals(listener) && line.sender().equals(sender))
        .findFirst()
        .map(line -> line.heard() + " of " + hearing.expected())
        .orElse("-");
  }

  private static String cables(List<CableUse> uses) {
    TextTable table =
        new TextTable("pair", "cable", "bytes said", "on this cable", "on all others");
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
