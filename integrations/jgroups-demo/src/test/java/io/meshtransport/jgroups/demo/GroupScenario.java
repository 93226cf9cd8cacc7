// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A group of JVMs at the nodes of a mesh, and the methods that state what is expected of it. The
 * test that opens a scenario closes it, and the fabric with it.
 */
final class GroupScenario implements AutoCloseable {
  /** For a step of the harness, on a busy host: what takes longer has failed. */
  static final Duration STEP = Duration.ofSeconds(60);

  static final long SEED = Long.getLong("mesh.seed", System.nanoTime());

  private static final MemberEvent.Said NOTHING_SAID = new MemberEvent.Said(0, 0, 0);
  private static final int HEAP_MIB = 512;

  /** How members are started where the mesh needs no settings. */
  static final NodeJvm JVM = jvm(Map.of());

  private final Fabric fabric;
  private final RunningGroup group;

  static {
    System.out.println("messages follow from -Dmesh.seed=" + SEED);
  }

  /**
   * Members that start fast and never run fast, for they do not run for long.
   *
   * @param settings of the mesh
   */
  static NodeJvm jvm(Map<String, String> settings) {
    // The second compiler uses more of two cores than it saves in some seconds.
    return jvm(settings, List.of("-XX:TieredStopAtLevel=1"));
  }

  static NodeJvm jvm(Map<String, String> settings, List<String> options) {
    return RunningGroup.jvm(HEAP_MIB, settings, options, Boolean.getBoolean("mesh.test.echo"));
  }

  private GroupScenario(Fabric fabric, GroupStack stack, NodeJvm jvm) {
    this.fabric = fabric;
    this.group = new RunningGroup(fabric, jvm, "scenario", stack, SEED);
  }

  /** Members over MESH in namespaces, as a user has them; none runs yet. */
  static GroupScenario on(Topology topology) {
    return on(topology, stack -> stack);
  }

  /** The same with another stack. */
  static GroupScenario on(Topology topology, UnaryOperator<GroupStack> change) {
    return on(
        Fabric.namespaces(topology),
        fabric -> change.apply(GroupStack.mesh("mesh.xml", fabric.topology())),
        JVM);
  }

  /** Members on a fabric, which is closed if they cannot be. */
  static GroupScenario on(Fabric fabric, Function<Fabric, GroupStack> stack, NodeJvm jvm) {
    try {
      return new GroupScenario(fabric, stack.apply(fabric), jvm);
    } catch (RuntimeException e) {
      fabric.close();
      throw e;
    }
  }

  /** Starts members at all nodes; returns when all see all. If that fails, nothing is left. */
  GroupScenario start() {
    try {
      group.startAll(step());
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  Fabric fabric() {
    return fabric;
  }

  RunningGroup group() {
    return group;
  }

  Member member(String node) {
    return group.member(node);
  }

  List<String> nodes() {
    return fabric.topology().nodes();
  }

  /** {@link #STEP} on this fabric. */
  Duration step() {
    return STEP.multipliedBy(fabric.slowness());
  }

  /** All say this at once, and all hear all of it: {@link #exchange(Collection, List)}. */
  void exchange(List<Batch> batches) {
    exchange(nodes(), batches);
  }

  /**
   * Some members, which see each other and no other member, each send this batch to all. Waits
   * until each has received all messages of each, its own included: every byte right, in order, no
   * message twice, none missing.
   */
  void exchange(Collection<String> nodes, List<Batch> batches) {
    exchange(nodes, nodes, batches);
  }

  /** The same, where only some of them have something to say. */
  void exchange(Collection<String> nodes, Collection<String> senders, List<Batch> batches) {
    Map<String, Map<String, MemberEvent.Stream>> before = multicasts(nodes);
    awaitHeard(
        before,
        group.ask(
            senders, node -> new MemberCommand.Say(batches, 0), MemberEvent.Said.class, step()));
  }

  /** Some members begin to say multicasts of 1000 bytes each, and go on with it. */
  void keepSaying(Collection<String> nodes, int perSecond) {
    group.ask(
        nodes,
        node -> new MemberCommand.KeepSaying(1_000, perSecond),
        MemberEvent.Done.class,
        step());
  }

  /** Ends {@link #keepSaying}: how much each has said. */
  Map<String, MemberEvent.Said> stopSaying(Collection<String> nodes) {
    return group.ask(nodes, node -> new MemberCommand.StopSaying(), MemberEvent.Said.class, step());
  }

  /**
   * Waits until what some members have said since is heard by all of them, as {@link
   * #exchange(Collection, List)} says.
   *
   * @param before who had heard what of whom
   * @param said by whom, since then
   */
  void awaitHeard(
      Map<String, Map<String, MemberEvent.Stream>> before, Map<String, MemberEvent.Said> said) {
    Map<String, Map<String, MemberEvent.Stream>> expected = new TreeMap<>();
    before.forEach(
        (hearer, streams) -> {
          Map<String, MemberEvent.Stream> continued = new TreeMap<>();
          streams.forEach(
              (sender, one) ->
                  continued.put(
                      sender,
                      continued(
                          one,
                          before.get(sender).get(sender),
                          said.getOrDefault(sender, NOTHING_SAID))));
          expected.put(hearer, continued);
        });
    RunningGroup.await(step(), () -> missing(multicasts(before.keySet()), expected));
    assertEquals(expected, multicasts(before.keySet()));
  }

  /** A member that received nothing so far continues at the sender's current number. */
  private static MemberEvent.Stream continued(
      MemberEvent.Stream before, MemberEvent.Stream ofSender, MemberEvent.Said said) {
    return new MemberEvent.Stream(
        before.count() + said.messages(),
        before.bytes() + said.bytes(),
        ofSender.next() + said.messages(),
        before.skipped(),
        before.again(),
        before.wrong(),
        before.firstFlaw());
  }

  private static String missing(
      Map<String, Map<String, MemberEvent.Stream>> now,
      Map<String, Map<String, MemberEvent.Stream>> expected) {
    List<String> missing = new ArrayList<>();
    expected.forEach(
        (hearer, streams) ->
            streams.forEach(
                (sender, stream) -> {
                  MemberEvent.Stream soFar = now.get(hearer).get(sender);
                  if (soFar == null || soFar.count() < stream.count()) {
                    missing.add(hearer + " of " + sender + ": " + soFar + ", not yet " + stream);
                  }
                }));
    return String.join("; ", missing);
  }

  /** While all keep saying something: waits until each hears more of each than so far. */
  void awaitMoreOfEveryone() {
    Map<String, Map<String, MemberEvent.Stream>> before = multicasts(nodes());
    RunningGroup.await(
        step(),
        () -> {
          Map<String, Map<String, MemberEvent.Stream>> now = multicasts(nodes());
          List<String> silent = new ArrayList<>();
          before.forEach(
              (hearer, streams) ->
                  streams.forEach(
                      (sender, stream) -> {
                        if (now.get(hearer).get(sender).next() <= stream.next()) {
                          silent.add(hearer + " hears nothing of " + sender + " after " + stream);
                        }
                      }));
          return String.join("; ", silent);
        });
  }

  /** For a group that no longer sends: waits until all have received the last message of each. */
  void awaitLastOfEveryone() {
    RunningGroup.await(
        step(),
        () -> {
          Map<String, Map<String, MemberEvent.Stream>> now = multicasts(nodes());
          List<String> behind = new ArrayList<>();
          now.forEach(
              (hearer, streams) ->
                  streams.forEach(
                      (sender, stream) -> {
                        if (stream.next() != now.get(sender).get(sender).next()) {
                          behind.add(hearer + " of " + sender + " is at " + stream);
                        }
                      }));
          return String.join("; ", behind);
        });
  }

  /** What each of some members has heard of each of them: by hearer, then by sender. */
  Map<String, Map<String, MemberEvent.Stream>> multicasts(Collection<String> nodes) {
    Map<String, Map<String, MemberEvent.Stream>> all = new TreeMap<>();
    nodes.forEach(node -> all.put(node, multicasts(node, nodes)));
    return all;
  }

  private Map<String, MemberEvent.Stream> multicasts(String hearer, Collection<String> senders) {
    MemberEvent.SeenView view = member(hearer).views().current();
    Map<String, MemberEvent.Stream> byAddress = new TreeMap<>();
    member(hearer).heard().senders().forEach(of -> byAddress.put(of.address(), of.multicasts()));
    Map<String, MemberEvent.Stream> streams = new TreeMap<>();
    // By address, for one that came back under its name is another one.
    for (int i = 0; i < view.members().size(); i++) {
      String sender = view.members().get(i);
      if (senders.contains(sender)) {
        streams.put(
            sender, byAddress.getOrDefault(view.addresses().get(i), MemberEvent.Stream.NOTHING));
      }
    }
    return streams;
  }

  /** All views that members have had. */
  Map<String, MemberEvent.Views> views() {
    return group.ask(
        nodes(), node -> new MemberCommand.TellViews(), MemberEvent.Views.class, step());
  }

  /** Attributes of a protocol of a member, by name. */
  Map<String, String> attributes(String node, String protocol) {
    return member(node)
        .ask(new MemberCommand.TellProtocol(protocol), MemberEvent.Attributes.class, step())
        .values();
  }

  /** Waits until each cache is at these members, at no other, and no entry is in flight. */
  void awaitCaches(Collection<String> members) {
    RunningGroup.await(step(), () -> cachesAmiss(members));
  }

  private String cachesAmiss(Collection<String> members) {
    List<String> amiss = new ArrayList<>();
    for (String cache : MemberCaches.NAMES) {
      group
          .ask(
              members,
              member -> new MemberCommand.TellCache(cache),
              MemberEvent.CacheStatus.class,
              step())
          .forEach(
              (member, status) -> {
                if (status.moving() || status.members().size() != members.size()) {
                  amiss.add(cache + " of " + member + ": " + status);
                }
              });
    }
    return String.join("; ", amiss);
  }

  @Override
  public void close() {
    group.close();
    fabric.close();
  }
}
