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

  private static final MemberEvent.Sent NOTHING_SENT = new MemberEvent.Sent(0, 0, 0);
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

  /** All send these at once, and all receive all of them: {@link #exchange(Collection, List)}. */
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
    awaitReceived(
        before,
        group.execute(
            senders, node -> new MemberCommand.Send(batches, 0), MemberEvent.Sent.class, step()));
  }

  /** Some members begin to say multicasts of 1000 bytes each, and go on with it. */
  void startSending(Collection<String> nodes, int perSecond) {
    group.execute(
        nodes,
        node -> new MemberCommand.StartSending(1_000, perSecond),
        MemberEvent.Done.class,
        step());
  }

  /** Ends {@link #startSending}: how much each has sent. */
  Map<String, MemberEvent.Sent> stopSending(Collection<String> nodes) {
    return group.execute(
        nodes, node -> new MemberCommand.StopSending(), MemberEvent.Sent.class, step());
  }

  /**
   * Waits until what some members have sent since is heard by all of them, as {@link
   * #exchange(Collection, List)} says.
   *
   * @param before who had received what from whom
   * @param sent by whom, since then
   */
  void awaitReceived(
      Map<String, Map<String, MemberEvent.Stream>> before, Map<String, MemberEvent.Sent> sent) {
    Map<String, Map<String, MemberEvent.Stream>> expected = new TreeMap<>();
    before.forEach(
        (receiver, streams) -> {
          Map<String, MemberEvent.Stream> continued = new TreeMap<>();
          streams.forEach(
              (sender, one) ->
                  continued.put(
                      sender,
                      continued(
                          one,
                          before.get(sender).get(sender),
                          sent.getOrDefault(sender, NOTHING_SENT))));
          expected.put(receiver, continued);
        });
    RunningGroup.await(step(), () -> missing(multicasts(before.keySet()), expected));
    assertEquals(expected, multicasts(before.keySet()));
  }

  /** A member that received nothing so far continues at the sender's current number. */
  private static MemberEvent.Stream continued(
      MemberEvent.Stream before, MemberEvent.Stream ofSender, MemberEvent.Sent sent) {
    return new MemberEvent.Stream(
        before.count() + sent.messages(),
        before.bytes() + sent.bytes(),
        ofSender.next() + sent.messages(),
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
        (receiver, streams) ->
            streams.forEach(
                (sender, stream) -> {
                  MemberEvent.Stream soFar = now.get(receiver).get(sender);
                  if (soFar == null || soFar.count() < stream.count()) {
                    missing.add(receiver + " of " + sender + ": " + soFar + ", not yet " + stream);
                  }
                }));
    return String.join("; ", missing);
  }

  /** While all send: waits until each has received more from each than so far. */
  void awaitMoreOfEveryone() {
    streams(nodes()).awaitMore(step());
  }

  /** For a group that no longer sends: waits until all have received the last message of each. */
  void awaitLastOfEveryone() {
    streams(nodes()).awaitLast(step());
  }

  /** What each of some members has received from each of them: by receiver, then by sender. */
  Map<String, Map<String, MemberEvent.Stream>> multicasts(Collection<String> nodes) {
    return streams(nodes).now();
  }

  private MulticastStreams streams(Collection<String> nodes) {
    return new MulticastStreams(group, nodes);
  }

  /** All views that members have had. */
  Map<String, MemberEvent.Views> views() {
    return group.execute(
        nodes(), node -> new MemberCommand.QueryViews(), MemberEvent.Views.class, step());
  }

  /** Attributes of a protocol of a member, by name. */
  Map<String, String> attributes(String node, String protocol) {
    return member(node)
        .execute(new MemberCommand.QueryProtocol(protocol), MemberEvent.Attributes.class, step())
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
          .execute(
              members,
              member -> new MemberCommand.QueryCache(cache),
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
