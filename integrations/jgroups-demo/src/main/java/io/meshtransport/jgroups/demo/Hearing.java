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
 * Who heard whom.
 *
 * @param stack what the group ran on, for people
 * @param views whom each member saw at the end, by member, in order; {@code ?} for one whose name
 *     it has not learned
 * @param expected multicasts of each member
 * @param lines one for each listener and each sender other than itself
 */
public record Hearing(
    String stack, Map<String, List<String>> views, long expected, List<Line> lines) {
  private static final String NAMELESS = "?";

  /**
   * What one member heard of another.
   *
   * @param heard multicasts
   * @param flaws of those and of unicasts, in words; empty if there is none
   */
  public record Line(String listener, String sender, long heard, String flaws) {}

  public Hearing {
    views = Collections.unmodifiableMap(new TreeMap<>(views));
    lines = List.copyOf(lines);
  }

  static Hearing of(
      String stack,
      Map<String, List<String>> views,
      long expected,
      List<String> nodes,
      Map<String, MemberEvent.Heard> heard) {
    List<Line> lines = new ArrayList<>();
    for (String listener : nodes) {
      for (String sender : nodes) {
        if (!listener.equals(sender)) {
          lines.add(
              line(listener, sender, heard.get(listener), addresses(heard.get(sender), sender)));
        }
      }
    }
    Map<String, List<String>> named = new TreeMap<>();
    views.forEach(
        (node, seen) ->
            named.put(
                node, seen.stream().map(name -> nodes.contains(name) ? name : NAMELESS).toList()));
    return new Hearing(stack, named, expected, lines);
  }

  /** By what addresses a member knows itself, for it hears itself. */
  private static Set<String> addresses(MemberEvent.Heard heard, String self) {
    return heard.senders().stream()
        .filter(of -> of.name().equals(self))
        .map(MemberEvent.HeardOf::address)
        .collect(Collectors.toSet());
  }

  private static Line line(
      String listener, String sender, MemberEvent.Heard heard, Set<String> addresses) {
    long count = 0;
    String flaws = "";
    for (MemberEvent.HeardOf of : heard.senders()) {
      // A listener may never have learned the name of whom it hears.
      if (of.name().equals(sender) || addresses.contains(of.address())) {
        count += of.multicasts().count();
        flaws += of.multicasts().firstFlaw() + of.unicasts().firstFlaw();
      }
    }
    return new Line(listener, sender, count, flaws);
  }

  /** Whether everyone heard everything of everyone, and all of it right. */
  public boolean isComplete() {
    return lines.stream().allMatch(line -> line.heard() == expected && line.flaws().isEmpty());
  }

  /** Pairs of which one or both hear nothing of the other, in words; empty if there is none. */
  public List<String> deaf() {
    return lines.stream()
        .filter(line -> line.heard() == 0)
        .map(line -> line.listener() + " hears nothing of " + line.sender())
        .toList();
  }

  /** All that is not right, in words. */
  String faults() {
    return lines.stream()
        .filter(line -> line.heard() != expected || !line.flaws().isEmpty())
        .map(
            line ->
                "%s heard %d of %d of %s %s"
                    .formatted(line.listener(), line.heard(), expected, line.sender(), line.flaws())
                    .strip())
        .reduce((one, other) -> one + "; " + other)
        .orElse("");
  }
}
