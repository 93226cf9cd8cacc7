// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Collects the findings of a demo, and reports each as it comes. One thread. */
final class DemoFindings {
  private final Consumer<String> progress;
  private final List<GroupDemoReport.Check> checks = new ArrayList<>();
  private final List<GroupDelivery> deliveries = new ArrayList<>();
  private final List<CableUse> cables = new ArrayList<>();
  private final List<String> links = new ArrayList<>();

  /**
   * @param progress receives a line for each step
   */
  DemoFindings(Consumer<String> progress) {
    this.progress = progress;
  }

  /** Reports a step that decides nothing. */
  void report(String what) {
    progress.accept(what);
  }

  /**
   * Does a step that must succeed.
   *
   * @param what should be, in a few words
   * @param step returns what was found, and throws what keeps it from that
   * @return whether it did
   */
  boolean require(String what, Supplier<String> step) {
    return attempt(what, true, step);
  }

  /** Does a step that is shown and decides nothing. */
  void compare(String what, Supplier<String> step) {
    attempt(what, false, step);
  }

  private boolean attempt(String what, boolean decides, Supplier<String> step) {
    long begin = System.nanoTime();
    boolean holds = false;
    String found;
    try {
      found = step.get();
      holds = true;
    } catch (NodeFailure e) {
      progress.accept(e.getMessage());
      found = e.headline();
    } catch (FabricException e) {
      found = e.getMessage();
    }
    String line = found.strip().replaceAll("\\s*\\R\\s*", "; ");
    checks.add(
        new GroupDemoReport.Check(what, holds, decides, line, GroupChannel.millisSince(begin)));
    progress.accept((holds ? "" : "NOT: ") + what + ": " + line);
    return holds;
  }

  void delivered(GroupDelivery delivery) {
    deliveries.add(delivery);
  }

  void carried(CableUse use) {
    cables.add(use);
  }

  void link(String line) {
    links.add(line);
  }

  GroupDemoReport toReport(String topology, String provider, String sizes, List<String> nodes) {
    return new GroupDemoReport(
        topology,
        provider,
        sizes,
        nodes,
        deliveries,
        cables,
        links,
        checks,
        GroupDemoReport.verdict(checks));
  }
}
