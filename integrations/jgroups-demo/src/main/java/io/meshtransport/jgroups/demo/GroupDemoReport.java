// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import java.util.List;

/**
 * What a demo of JGroups has shown, as {@code --json} writes it.
 *
 * @param topology its name
 * @param provider what drove the NICs under MESH
 * @param sizes how much was moved: {@link GroupDemoPlan#sizes}
 * @param nodes their names
 * @param deliveries what each member received from each other, for each stack
 * @param cables which cable carried what
 * @param links of each member, as MESH describes them
 * @param checks in the order they were made
 * @param result {@code PASS}, or {@code FAIL: } and why
 */
public record GroupDemoReport(
    String topology,
    String provider,
    String sizes,
    List<String> nodes,
    List<GroupDelivery> deliveries,
    List<CableUse> cables,
    List<String> links,
    List<Check> checks,
    String result) {
  private static final String PASS = "PASS";
  private static final String FAIL = "FAIL: ";

  /**
   * One thing that was checked.
   *
   * @param what should be, in a few words
   * @param holds whether the statement is true
   * @param decides whether the verdict depends on it: what stock TCP does decides nothing
   * @param found what there was
   * @param millis how long that took
   */
  public record Check(String what, boolean holds, boolean decides, String found, long millis) {}

  public GroupDemoReport {
    nodes = List.copyOf(nodes);
    deliveries = List.copyOf(deliveries);
    cables = List.copyOf(cables);
    links = List.copyOf(links);
    checks = List.copyOf(checks);
  }

  /** One that did not get far enough to show anything. */
  public static GroupDemoReport failed(String topology, List<String> nodes, String why) {
    return new GroupDemoReport(
        topology,
        "unknown",
        "nothing",
        nodes,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        FAIL + why.strip().replaceAll("\\s*\\R\\s*", "; "));
  }

  /** The same, but for something else that was wrong. */
  public GroupDemoReport failedAfterAll(String why) {
    return new GroupDemoReport(
        topology, provider, sizes, nodes, deliveries, cables, links, checks, FAIL + why);
  }

  /** PASS if there are checks that decide, and all of them hold. */
  static String verdict(List<Check> checks) {
    if (checks.stream().noneMatch(Check::decides)) {
      return FAIL + "nothing was checked";
    }
    return checks.stream()
        .filter(check -> check.decides() && !check.holds())
        .findFirst()
        .map(check -> FAIL + check.what() + ": " + check.found())
        .orElse(PASS);
  }

  /** Whether all is as it should be. */
  public boolean passed() {
    return result.equals(PASS);
  }
}
