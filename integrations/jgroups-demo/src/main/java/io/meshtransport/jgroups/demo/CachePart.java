// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Infinispan over MESH: what one member puts into a replicated and a distributed cache is at the
 * others, stays when a member is killed, and goes to that member when it is back.
 */
final class CachePart {
  private static final int OWNERS = 2;
  private static final double MB = 1e6;

  private final Fabric fabric;
  private final NodeJvm jvm;
  private final GroupDemoPlan plan;
  private final Entries entries;
  private final List<String> nodes;
  private final String writer;
  private final String victim;
  private final List<String> survivors;
  private final Duration limit;
  private final DemoFindings findings;

  /**
   * @param limit of each step
   */
  CachePart(
      Fabric fabric,
      NodeJvm jvm,
      GroupDemoPlan plan,
      Entries entries,
      Duration limit,
      DemoFindings findings) {
    this.fabric = fabric;
    this.jvm = jvm;
    this.plan = plan;
    this.entries = entries;
    this.nodes = fabric.topology().nodes();
    this.writer = nodes.get(0);
    this.victim = nodes.get(nodes.size() - 1);
    this.survivors = nodes.subList(0, nodes.size() - 1);
    this.limit = limit;
    this.findings = findings;
  }

  void show() {
    findings.report("Infinispan over MESH: a replicated and a distributed cache at each node");
    GroupStack stack =
        GroupStack.mesh("infinispan-mesh.xml", fabric.topology())
            .with(node -> plan.stackProperties());
    try (RunningGroup group = new RunningGroup(fabric, jvm, "caches", stack, 3)) {
      boolean stands =
          findings.require("Infinispan: both caches at all nodes", () -> start(group))
              && findings.require("Infinispan: what one wrote the others read", () -> write(group))
              && findings.require(
                  "Infinispan: complete after kill -9 of " + victim, () -> kill(group));
      if (stands) {
        findings.require("Infinispan: " + victim + " is back with its state", () -> back(group));
      }
    }
  }

  private String start(RunningGroup group) {
    group.start(nodes);
    group.startCaches(nodes, limit);
    awaitMembers(group, nodes);
    return nodes.size() + " members";
  }

  private String write(RunningGroup group) {
    List<String> figures = new ArrayList<>();
    for (String cache : MemberCaches.NAMES) {
      findings.report(
          "Infinispan: %s writes %d entries of %d to %d bytes into the %s cache, %.0f MB"
              .formatted(
                  writer,
                  entries.count(),
                  entries.minBytes(),
                  entries.maxBytes(),
                  cache,
                  entries.bytes() / MB));
      MemberEvent.Stored stored =
          group
              .member(writer)
              .execute(new MemberCommand.Put(cache, entries), MemberEvent.Stored.class, limit);
      requireAll(group, nodes.subList(1, nodes.size()), cache);
      figures.add("%s written in %d ms".formatted(cache, stored.millis()));
    }
    return "%d entries in each, %.0f MB, every byte checked; %s"
        .formatted(entries.count(), entries.bytes() / MB, String.join(", ", figures));
  }

  private String kill(RunningGroup group) {
    group.kill(victim);
    findings.report("Infinispan: " + victim + " is killed; the others have to find out");
    awaitMembers(group, survivors);
    MemberCaches.NAMES.forEach(cache -> requireAll(group, survivors, cache));
    awaitCopies(group, survivors);
    return "all entries of both caches at %s, every byte checked; two copies of each again"
        .formatted(survivors);
  }

  private String back(RunningGroup group) {
    group.start(List.of(victim));
    long millis = group.startCaches(List.of(victim), limit).get(victim).millis();
    awaitMembers(group, nodes);
    MemberEvent.Checked state = local(group, List.of(victim), MemberCaches.REPLICATED).get(victim);
    if (state.right() != entries.count()) {
      throw new FabricException(victim + " has of the replicated cache " + state);
    }
    requireAll(group, nodes, MemberCaches.DISTRIBUTED);
    awaitCopies(group, nodes);
    MemberEvent.Checked share = local(group, List.of(victim), MemberCaches.DISTRIBUTED).get(victim);
    if (share.right() == 0) {
      throw new FabricException(victim + " has got nothing of the distributed cache");
    }
    return "%.0f MB of the replicated cache and %.0f MB of the distributed one, every byte checked; %d ms"
        .formatted(state.bytes() / MB, share.bytes() / MB, millis);
  }

  /** Waits until exactly these members have the caches, and no state transfer is in progress. */
  private void awaitMembers(RunningGroup group, Collection<String> members) {
    RunningGroup.await(
        limit,
        () -> {
          for (String cache : MemberCaches.NAMES) {
            for (String member : members) {
              MemberEvent.CacheStatus status =
                  group
                      .member(member)
                      .execute(new MemberCommand.QueryCache(cache), MemberEvent.CacheStatus.class);
              if (status.moving() || status.members().size() != members.size()) {
                return "the "
                    + cache
                    + " cache of "
                    + member
                    + " should be at "
                    + members
                    + " and at rest: "
                    + status;
              }
            }
          }
          return "";
        });
  }

  /** Every one of these reads every entry, and every byte is right. */
  private void requireAll(RunningGroup group, Collection<String> members, String cache) {
    check(group, members, cache, false)
        .forEach(
            (member, checked) -> {
              if (checked.right() != entries.count()) {
                throw new FabricException(
                    "of %d entries in the %s cache %s reads %s"
                        .formatted(entries.count(), cache, member, checked));
              }
            });
  }

  /** Waits until each entry of the distributed cache is at as many members as it should be. */
  private void awaitCopies(RunningGroup group, Collection<String> members) {
    RunningGroup.await(
        limit,
        () -> {
          Map<String, MemberEvent.Checked> local = local(group, members, MemberCaches.DISTRIBUTED);
          long copies = local.values().stream().mapToLong(MemberEvent.Checked::right).sum();
          return copies == (long) OWNERS * entries.count()
              ? ""
              : "%d copies of %d entries of the distributed cache: %s"
                  .formatted(copies, entries.count(), local);
        });
  }

  private Map<String, MemberEvent.Checked> local(
      RunningGroup group, Collection<String> members, String cache) {
    return check(group, members, cache, true);
  }

  private Map<String, MemberEvent.Checked> check(
      RunningGroup group, Collection<String> members, String cache, boolean localOnly) {
    return group.execute(
        members,
        member -> new MemberCommand.Check(cache, entries, localOnly),
        MemberEvent.Checked.class,
        limit);
  }
}
