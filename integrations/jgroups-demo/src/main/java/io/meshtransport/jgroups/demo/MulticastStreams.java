// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What members of a running group have received of each other's multicasts. One thread. */
final class MulticastStreams {
  private final RunningGroup group;
  private final Collection<String> nodes;

  /**
   * @param nodes which run, and see each other
   */
  MulticastStreams(RunningGroup group, Collection<String> nodes) {
    this.group = group;
    this.nodes = List.copyOf(nodes);
  }

  /** What each has received from each, itself included: by receiver, then by sender. */
  Map<String, Map<String, MemberEvent.Stream>> now() {
    Map<String, Map<String, MemberEvent.Stream>> all = new TreeMap<>();
    nodes.forEach(node -> all.put(node, receivedBy(node)));
    return all;
  }

  private Map<String, MemberEvent.Stream> receivedBy(String receiver) {
    MemberEvent.InstalledView view = group.member(receiver).views().current();
    Map<String, MemberEvent.Stream> byAddress = new TreeMap<>();
    group
        .member(receiver)
        .received()
        .senders()
        .forEach(of -> byAddress.put(of.address(), of.multicasts()));
    Map<String, MemberEvent.Stream> streams = new TreeMap<>();
    // By address, for one that came back under its name is another one.
    for (int i = 0; i < view.members().size(); i++) {
      String sender = view.members().get(i);
      if (nodes.contains(sender)) {
        streams.put(
            sender, byAddress.getOrDefault(view.addresses().get(i), MemberEvent.Stream.NOTHING));
      }
    }
    return streams;
  }

  /**
   * While all send: waits until each has received more from each than so far.
   *
   * @throws io.meshtransport.topology.FabricException if that does not come in time
   */
  void awaitMore(Duration limit) {
    Map<String, Map<String, MemberEvent.Stream>> before = now();
    RunningGroup.await(limit, () -> silent(before, now()));
  }

  private static String silent(
      Map<String, Map<String, MemberEvent.Stream>> before,
      Map<String, Map<String, MemberEvent.Stream>> now) {
    List<String> silent = new ArrayList<>();
    before.forEach(
        (receiver, streams) ->
            streams.forEach(
                (sender, stream) -> {
                  if (of(now, receiver, sender).next() <= stream.next()) {
                    silent.add(receiver + " receives nothing from " + sender + " after " + stream);
                  }
                }));
    return String.join("; ", silent);
  }

  /**
   * For members that no longer send: waits until each has received the last message of each.
   *
   * @throws io.meshtransport.topology.FabricException if that does not come in time
   */
  void awaitLast(Duration limit) {
    RunningGroup.await(limit, () -> behind(now()));
  }

  private static String behind(Map<String, Map<String, MemberEvent.Stream>> now) {
    List<String> behind = new ArrayList<>();
    now.forEach(
        (receiver, streams) ->
            streams.forEach(
                (sender, stream) -> {
                  if (stream.next() != of(now, sender, sender).next()) {
                    behind.add(receiver + " of " + sender + " is at " + stream);
                  }
                }));
    return String.join("; ", behind);
  }

  /** A sender that a receiver's view does not have any more has sent it nothing. */
  private static MemberEvent.Stream of(
      Map<String, Map<String, MemberEvent.Stream>> streams, String receiver, String sender) {
    return streams.get(receiver).getOrDefault(sender, MemberEvent.Stream.NOTHING);
  }
}
