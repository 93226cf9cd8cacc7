// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which messages each member of a group received from each other.
 *
 * @param stack what the group ran on, for people
 * @param views whom each member saw at the end, by member, in order; {@code ?} for one whose name
 *     it has not learned
 * @param expected multicasts of each member
 * @param pairs one for each receiver and each sender other than itself
 */
public record GroupDelivery(
    String stack, Map<String, List<String>> views, long expected, List<Pair> pairs) {
  private static final String NAMELESS = "?";

  /**
   * What one member received from another.
   *
   * @param received multicasts
   * @param flaws of those and of unicasts, in words; empty if there is none
   */
  public record Pair(String receiver, String sender, long received, String flaws) {}

  public GroupDelivery {
    views = Collections.unmodifiableMap(new TreeMap<>(views));
    pairs = List.copyOf(pairs);
  }

  static GroupDelivery of(
      String stack,
      Map<String, List<String>> views,
      long expected,
      List<String> nodes,
      Map<String, MemberEvent.Received> received) {
    List<Pair> pairs = new ArrayList<>();
    for (String receiver : nodes) {
      for (String sender : nodes) {
        if (!receiver.equals(sender)) {
          pairs.add(
              pair(
                  receiver,
                  sender,
                  received.get(receiver),
                  addresses(received.get(sender), sender)));
        }
      }
    }
    Map<String, List<String>> named = new TreeMap<>();
    views.forEach(
        (node, seen) ->
            named.put(
                node, seen.stream().map(name -> nodes.contains(name) ? name : NAMELESS).toList()));
    return new GroupDelivery(stack, named, expected, pairs);
  }

  /** By what addresses a member knows itself, for it receives its own messages. */
  private static Set<String> addresses(MemberEvent.Received received, String self) {
    return received.senders().stream()
        .filter(of -> of.name().equals(self))
        .map(MemberEvent.ReceivedFrom::address)
        .collect(Collectors.toSet());
  }

  private static Pair pair(
      String receiver, String sender, MemberEvent.Received received, Set<String> addresses) {
    long count = 0;
    String flaws = "";
    for (MemberEvent.ReceivedFrom of : received.senders()) {
      // A member may never have learned the name of a member that it receives from.
      if (of.name().equals(sender) || addresses.contains(of.address())) {
        count += of.multicasts().count();
        flaws += of.multicasts().firstFlaw() + of.unicasts().firstFlaw();
      }
    }
    return new Pair(receiver, sender, count, flaws);
  }

  /** Whether every member received every message of every other, and each of them right. */
  public boolean isComplete() {
    return pairs.stream().allMatch(pair -> pair.received() == expected && pair.flaws().isEmpty());
  }

  /**
   * Pairs of which one or both received nothing from the other, in words; empty if there is none.
   */
  public List<String> silentPairs() {
    return pairs.stream()
        .filter(pair -> pair.received() == 0)
        .map(pair -> pair.receiver() + " receives nothing from " + pair.sender())
        .toList();
  }

  /** All that is not right, in words. */
  String faults() {
    return pairs.stream()
        .filter(pair -> pair.received() != expected || !pair.flaws().isEmpty())
        .map(
            pair ->
                "%s received %d of %d from %s %s"
                    .formatted(
                        pair.receiver(), pair.received(), expected, pair.sender(), pair.flaws())
                    .strip())
        .reduce((one, other) -> one + "; " + other)
        .orElse("");
  }
}
