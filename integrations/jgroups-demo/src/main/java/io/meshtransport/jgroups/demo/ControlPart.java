package io.meshtransport.jgroups.demo;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What JGroups does on a mesh as it comes: its TCP, each member bound to one of its addresses. It
 * reports what it sees, whatever that is; nothing of it decides the verdict on MESH.
 */
final class ControlPart {
  private static final String STACK = "stock TCP";
  private static final int MESSAGES = 50;
  private static final int MESSAGE_BYTES = 1000;

  /** Merging partitions takes it one to two of its 2 to 5 s; so long it may try. */
  private static final Duration VIEW_LIMIT = Duration.ofSeconds(12);

  /** It retransmits every 200 ms: who hears nothing new for so long will hear nothing more. */
  private static final Duration SILENCE = Duration.ofSeconds(3);

  private final Fabric fabric;
  private final NodeJvm jvm;
  private final List<String> nodes;
  private final Duration limit;
  private final Findings findings;

  ControlPart(Fabric fabric, NodeJvm jvm, Duration limit, Findings findings) {
    this.fabric = fabric;
    this.jvm = jvm;
    this.nodes = fabric.topology().nodes();
    this.limit = limit;
    this.findings = findings;
  }

  void show() {
    findings.say("control: JGroups as it comes, over stock TCP, a JVM at each node");
    GroupStack stack = GroupStack.stockTcp(fabric.topology());
    try (RunningGroup group = new RunningGroup(fabric, jvm, "control", stack, 1)) {
      findings.compare("control: " + STACK, () -> listen(group));
    }
  }

  private String listen(RunningGroup group) {
    group.start(nodes);
    group.join(nodes, limit);
    boolean together = whether(() -> group.awaitView(nodes, VIEW_LIMIT));
    findings.say(
        (together ? "control: a view of all" : "control: no common view within 12 s")
            + "; each says "
            + MESSAGES
            + " multicasts to everyone");
    group.ask(
        nodes,
        node -> new MemberCommand.Say(List.of(Batch.toEveryone(MESSAGES, MESSAGE_BYTES)), 0),
        MemberEvent.Said.class,
        limit);
    awaitSilence(group);
    Map<String, MemberEvent.Heard> heard = new HashMap<>();
    nodes.forEach(node -> heard.put(node, group.member(node).heard()));
    Hearing hearing = Hearing.of(STACK, group.views(nodes), MESSAGES, nodes, heard);
    findings.heard(hearing);
    return words(hearing, errors(group));
  }

  private static boolean whether(Runnable wait) {
    try {
      wait.run();
      return true;
    } catch (FabricException e) {
      return false; // That it did not come is the answer.
    }
  }

  /** Until all have heard all, or nobody has heard anything new for a while. */
  private void awaitSilence(RunningGroup group) {
    long[] last = {-1, System.nanoTime()};
    RunningGroup.await(
        limit,
        () -> {
          long now = heardInAll(group);
          if (now != last[0]) {
            last[0] = now;
            last[1] = System.nanoTime();
          }
          boolean all = now == (long) MESSAGES * nodes.size() * nodes.size();
          return all || System.nanoTime() - last[1] > SILENCE.toNanos() ? "" : "still hearing";
        });
  }

  private long heardInAll(RunningGroup group) {
    return nodes.stream()
        .flatMap(node -> group.member(node).heard().senders().stream())
        .mapToLong(of -> of.multicasts().count())
        .sum();
  }

  private long errors(RunningGroup group) {
    return nodes.stream()
        .flatMap(node -> group.member(node).log().stream())
        .filter(line -> line.level().equals("ERROR") || line.level().equals("FATAL"))
        .mapToLong(MemberEvent.LogLine::count)
        .sum();
  }

  static String words(Hearing hearing, long errors) {
    if (hearing.isComplete()) {
      return "works here: everyone hears everyone";
    }
    List<String> deaf = hearing.deaf();
    String who = deaf.isEmpty() ? hearing.faults() : String.join(", ", deaf);
    return "broken, as expected on a mesh: views %s; %s; %d errors in the logs"
        .formatted(hearing.views(), who, errors);
  }
}
