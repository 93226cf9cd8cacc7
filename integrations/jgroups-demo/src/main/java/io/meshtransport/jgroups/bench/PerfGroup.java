// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A member at each node of a fabric, all on one side of the comparison, fresh JVMs. Closed by its
 * starter. One thread.
 */
final class PerfGroup implements AutoCloseable {
  /**
   * For a step that moves no payload, on a busy host. Half of it is for a view: MERGE3 merges
   * members that missed each other, and searches for them every 10 to 30 s.
   */
  private static final Duration STEP = Duration.ofSeconds(180);

  private final List<PerfProcess> members = new ArrayList<>();

  private PerfGroup() {}

  static PerfGroup start(Fabric fabric, NodeJvm jvm) {
    PerfGroup group = new PerfGroup();
    try {
      for (String node : fabric.topology().nodes()) {
        group.members.add(PerfProcess.start(fabric, node, jvm));
      }
      return group;
    } catch (RuntimeException e) {
      group.close();
      throw e;
    }
  }

  /** Has all members start a program and find each other. */
  void join(PerfKind program, Side side, Stacks stacks, Path folder) {
    // One after the other: members that join at the same time on a busy host may find no others,
    // and then
    // waits for a merge.
    for (PerfProcess member : members) {
      String stack = stacks.write(side, member.name(), folder).toString();
      member.send(new PerfCommand.Join(program, stack));
      done(member);
    }
    executeOnAll(new PerfCommand.AwaitMembers(members.size(), STEP.toMillis() / 2));
  }

  /** As {@link #measure(Load, UnaryOperator)}, without recordings. */
  Figures measure(Load load) {
    return measure(load, node -> "");
  }

  /**
   * Has all members do this at once, and adds up what they measured.
   *
   * @param recordings file for the flight recording at each node; empty: none
   */
  Figures measure(Load load, UnaryOperator<String> recordings) {
    Duration limit = STEP.plusSeconds(3L * load.seconds());
    members.forEach(
        member -> member.send(new PerfCommand.Prepare(load, recordings.apply(member.name()))));
    members.forEach(PerfGroup::done);
    members.get(0).send(new PerfCommand.RunTest());
    members.get(0).awaitEvent(PerfEvent.Done.class, limit);
    members.forEach(member -> member.send(new PerfCommand.Report(limit.toMillis() / 2)));
    return members.stream()
        .map(member -> member.awaitEvent(PerfEvent.Measured.class, limit).figures())
        .reduce(Figures::plus)
        .orElseThrow();
  }

  /** Has all members leave and end the program. */
  void leave() {
    executeOnAll(new PerfCommand.Leave());
  }

  private void executeOnAll(PerfCommand command) {
    members.forEach(member -> member.send(command));
    members.forEach(PerfGroup::done);
  }

  private static void done(PerfProcess member) {
    member.awaitEvent(PerfEvent.Done.class, STEP);
  }

  @Override
  public void close() {
    members.forEach(PerfProcess::close);
  }
}
