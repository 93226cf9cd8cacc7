// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Members of a group, a JVM each at the nodes of a fabric. Its maker closes it; the fabric stays.
 * One thread.
 */
public final class RunningGroup implements AutoCloseable {
  /** For what a member knows without a query to others. */
  static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

  private static final Duration POLL_PAUSE = Duration.ofMillis(100);

  private final Fabric fabric;
  private final NodeJvm jvm;
  private final String cluster;
  private final GroupStack stack;
  private final long seed;
  private final Map<String, Member> members = new LinkedHashMap<>();

  /**
   * No member runs yet.
   *
   * @param jvm {@link #jvm}'s, or a like one
   * @param seed of all messages and states
   */
  public RunningGroup(Fabric fabric, NodeJvm jvm, String cluster, GroupStack stack, long seed) {
    this.fabric = fabric;
    this.jvm = jvm;
    this.cluster = cluster;
    this.stack = stack;
    this.seed = seed;
  }

  /**
   * How a member's JVM is started.
   *
   * @param heapMiB beside as much direct memory
   */
  public static NodeJvm jvm(
      int heapMiB, Map<String, String> settings, List<String> options, boolean echo) {
    return new NodeJvm(settings, options, echo)
        .running(
            GroupMember.class.getName(),
            "-Xmx" + heapMiB + "m",
            "-XX:MaxDirectMemorySize=" + heapMiB + "m");
  }

  /** What it runs on. */
  public Fabric fabric() {
    return fabric;
  }

  /** Names of the members whose JVMs run. */
  public Collection<String> names() {
    return List.copyOf(members.keySet());
  }

  /** A member. */
  public Member member(String name) {
    Member member = members.get(name);
    if (member == null) {
      throw new IllegalArgumentException("no member runs at " + name);
    }
    return member;
  }

  /** Starts JVMs, all at once, that join nothing yet. */
  public void start(Collection<String> nodes) {
    for (String node : nodes) {
      Member before = members.put(node, Member.start(fabric, node, jvm));
      if (before != null) {
        before.close();
      }
    }
  }

  /** Lets members that run join, all at once, and waits until each has a view. */
  public Map<String, MemberEvent.Joined> join(Collection<String> nodes, Duration limit) {
    for (String node : nodes) {
      member(node)
          .send(
              new MemberCommand.Join(cluster, stack.file(), stack.properties().apply(node), seed));
    }
    return awaitEvents(nodes, MemberEvent.Joined.class, limit);
  }

  /**
   * Lets members that run start Infinispan, all at once, and waits until each cache has its share.
   */
  public Map<String, MemberEvent.CachesStarted> startCaches(
      Collection<String> nodes, Duration limit) {
    return execute(
        nodes,
        node ->
            new MemberCommand.StartCaches(cluster, stack.file(), stack.properties().apply(node)),
        MemberEvent.CachesStarted.class,
        limit);
  }

  /** Starts members at all nodes, lets them join, and waits until all see all. */
  public void startAll(Duration limit) {
    List<String> nodes = fabric.topology().nodes();
    start(nodes);
    join(nodes, limit);
    awaitView(nodes, limit);
  }

  /**
   * Waits until each of some members sees these and no others.
   *
   * @throws FabricException if one does not in time, with what each sees
   */
  public void awaitView(Collection<String> nodes, Duration limit) {
    await(
        limit,
        () -> {
          Map<String, List<String>> seen = views(nodes);
          return seen.values().stream()
                  .allMatch(view -> new HashSet<>(view).equals(new HashSet<>(nodes)))
              ? ""
              : "a view of " + nodes + " was expected, and they see " + seen;
        });
  }

  /** Whom each of some members sees now. */
  public Map<String, List<String>> views(Collection<String> nodes) {
    Map<String, List<String>> seen = new TreeMap<>();
    nodes.forEach(node -> seen.put(node, member(node).views().current().members()));
    return seen;
  }

  /**
   * Waits until each of some members has received so many multicasts and unicasts from each of
   * them.
   *
   * @param multicasts of each sender; a sender receives its own
   * @param unicasts of each sender but itself
   * @throws FabricException if one has not in time, with what is missing
   */
  public void awaitReceived(
      Collection<String> nodes, long multicasts, long unicasts, Duration limit) {
    await(
        limit,
        () -> {
          List<String> missing = new ArrayList<>();
          for (String node : nodes) {
            missing.addAll(missing(node, nodes, multicasts, unicasts));
          }
          return String.join("; ", missing);
        });
  }

  private List<String> missing(
      String node, Collection<String> senders, long multicasts, long unicasts) {
    Map<String, MemberEvent.ReceivedFrom> received = new TreeMap<>();
    member(node).received().senders().forEach(each -> received.put(each.name(), each));
    List<String> missing = new ArrayList<>();
    for (String sender : senders) {
      MemberEvent.ReceivedFrom of = received.get(sender);
      long heardMulticasts = of == null ? 0 : of.multicasts().count();
      long heardUnicasts = of == null ? 0 : of.unicasts().count();
      boolean self = sender.equals(node);
      if (heardMulticasts < multicasts || !self && heardUnicasts < unicasts) {
        missing.add(
            "%s has received %d of %d multicasts and %d of %d unicasts of %s"
                .formatted(
                    node, heardMulticasts, multicasts, heardUnicasts, self ? 0 : unicasts, sender));
      }
    }
    return missing;
  }

  /**
   * Checks repeatedly.
   *
   * @param obstacle empty once the awaited state is reached
   * @throws FabricException with the last obstacle, when the time has passed
   */
  static void await(Duration limit, Supplier<String> obstacle) {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    String last = obstacle.get();
    while (!last.isEmpty()) {
      if (System.nanoTime() > deadlineNs || Thread.currentThread().isInterrupted()) {
        throw new FabricException("after " + limit.toSeconds() + " s: " + last);
      }
      LockSupport.parkNanos(POLL_PAUSE.toNanos());
      last = obstacle.get();
    }
  }

  /** Sends a command to each of some members, and waits for the answers of all. */
  public <A extends MemberEvent> Map<String, A> execute(
      Collection<String> nodes,
      Function<String, MemberCommand> command,
      Class<A> answer,
      Duration limit) {
    nodes.forEach(node -> member(node).send(command.apply(node)));
    return awaitEvents(nodes, answer, limit);
  }

  private <A extends MemberEvent> Map<String, A> awaitEvents(
      Collection<String> nodes, Class<A> answer, Duration limit) {
    Map<String, A> answers = new TreeMap<>();
    nodes.forEach(node -> answers.put(node, member(node).awaitEvent(answer, limit)));
    return answers;
  }

  /** Ends a member with SIGKILL; the others are not notified. */
  public void kill(String node) {
    Member member = members.remove(node);
    if (member == null) {
      throw new IllegalArgumentException("no member runs at " + node);
    }
    member.kill();
    member.close();
  }

  /** Ends all members. */
  @Override
  public void close() {
    List<Member> ending = new ArrayList<>(members.values());
    members.clear();
    ending.parallelStream().forEach(Member::close);
  }
}
