// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.config.HostName;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * What is known of members that keep a group waiting, for the log and the text of a failure: who
 * has come, and when was there last; what a mesh says of the others; and what this node has found
 * wrong at any time since the join began. Two nodes of one name, for example, fail and leave, and
 * then are found no longer; a third may never have seen both at one time. Confined to the thread
 * that joins.
 */
final class MemberNews {
  private static final String REMEDY = "Give each a name of its own with MESH_NODE.";

  private final Optional<MeshRendezvous> rendezvous;
  private final LongSupplier clock;
  private final SeenNodes seen = new SeenNodes();
  private final SeenFindings findings = new SeenFindings();
  private final Namesakes namesakes = new Namesakes();
  private final SeenMembers members = new SeenMembers();
  private final Optional<JoinAdvice> advice;
  private final String hostName = HostName.read();

  /**
   * @param rendezvous empty without a mesh, of which there is nothing to say then
   */
  MemberNews(Optional<MeshRendezvous> rendezvous) {
    this(rendezvous, System::nanoTime);
  }

  /**
   * @param clock in nanoseconds
   */
  MemberNews(Optional<MeshRendezvous> rendezvous, LongSupplier clock) {
    this.rendezvous = rendezvous;
    this.clock = clock;
    advice = rendezvous.map(each -> new JoinAdvice(each.mesh(), members, findings));
  }

  /** Notes who is there and what is found now, and members that have come. */
  void note(Collection<String> now) {
    note(now, nodes());
  }

  /**
   * The same.
   *
   * @param nodes the others that the mesh knows now
   */
  void note(Collection<String> now, List<MeshNode> nodes) {
    members.note(now, clock.getAsLong());
    rendezvous.ifPresent(each -> observe(each.mesh(), nodes));
  }

  private List<MeshNode> nodes() {
    return rendezvous.map(each -> each.mesh().nodes()).orElse(List.of());
  }

  private void observe(Mesh mesh, List<MeshNode> nodes) {
    MeshNode self = mesh.self();
    namesakes.note(self, nodes, clock.getAsLong());
    List<MeshFinding> wrong = new ArrayList<>();
    for (String each : namesakes.names()) {
      wrong.add(duplicateName(self, each, namesakes.of(each)));
    }
    wrong.addAll(mesh.findings());
    findings.note(wrong);
    seen.note(nodes);
  }

  /** The names of the members that have come at any time, in their order. */
  Set<String> came() {
    return members.came();
  }

  /** Whether a member was there when {@link #note} was called last. */
  boolean isThere(String member) {
    return members.isThere(member);
  }

  /**
   * Which nodes share the name of a member, or of this node, where they are, and what to do, once
   * no verdict can change that any more. Empty until then, if all names differ, and without a mesh.
   *
   * @param awaited but this one
   */
  Optional<String> clash(Collection<String> awaited) {
    return rendezvous.flatMap(
        each -> {
          MeshNode self = each.mesh().self();
          Set<String> names = new HashSet<>(awaited);
          names.add(self.peer().name());
          return namesakes
              .proved(names, clock.getAsLong())
              .map(name -> join(duplicateName(self, name, namesakes.of(name))));
        });
  }

  /** Whether this node has found what keeps members away. */
  boolean hasCause() {
    return findings.hasReasonToBeAway();
  }

  /** Whether two nodes have one of some names now, and a verdict on one of them may come yet. */
  boolean isDoubled(Collection<String> names) {
    return names.stream().anyMatch(namesakes.names()::contains);
  }

  /** That several members of a rendezvous have one name, and what to do. */
  static String doubled(String name, long count) {
    return "%d members are named '%s'. %s".formatted(count, name, REMEDY);
  }

  private static String join(MeshFinding finding) {
    return finding.text() + " " + finding.remedy();
  }

  /**
   * Sentences, each with a blank before it; empty if there are none.
   *
   * @param cause what keeps members away
   * @param evidence what else is known
   */
  record Text(String cause, String evidence) {
    /** With a cause that comes before the others. */
    Text with(String first) {
      return new Text(first + cause, evidence);
    }

    /**
     * Cause, what is so for it, evidence.
     *
     * @param what a sentence that may begin with a small letter
     */
    String around(String what) {
      return cause.isEmpty()
          ? what + evidence
          : cause.strip()
              + " "
              + what.substring(0, 1).toUpperCase(Locale.ROOT)
              + what.substring(1)
              + evidence;
    }
  }

  /**
   * The cause is what this node has found of names and cables; the evidence is a sentence for each
   * member of whom something else is known than that one node of its name lives and is in the
   * group, first for those that have never come, and what else was found since the join began.
   *
   * @param awaited but this one
   */
  Text of(Collection<String> awaited) {
    return rendezvous
        .map(each -> of(each, awaited))
        .orElseGet(
            () ->
                new Text(
                    "",
                    awaited.stream()
                        .filter(members::hasDeparted)
                        .map(this::withdrawn)
                        .collect(Collectors.joining())));
  }

  private Text of(MeshRendezvous there, Collection<String> awaited) {
    Mesh mesh = there.mesh();
    List<MeshNode> nodes = mesh.nodes();
    observe(mesh, nodes);
    StringBuilder text = new StringBuilder();
    Set<String> doubled = new HashSet<>();
    StringBuilder sentences = new StringBuilder();
    // One that gave up for another's absence is not the cause.
    for (String each :
        awaited.stream().sorted(Comparator.comparing(members::hasDeparted)).toList()) {
      List<MeshNode> living = Namesakes.living(nodes, each);
      if (Namesakes.areSeveral(living)) {
        text.append(" ").append(join(duplicateName(mesh.self(), each, living)));
        doubled.add(each);
      } else {
        sentences.append(
            living.isEmpty() ? absent(nodes, each) : present(there, MeshNode.latest(living), each));
      }
    }
    text.append(
        findings.text(
            each ->
                SeenFindings.keepsAway(each)
                    && !isOfName(each, SeenFindings.DUPLICATE_NAME, doubled)));
    doubled.addAll(findings.subjects(SeenFindings.DUPLICATE_NAME));
    seen.doubled()
        .forEach(
            (name, lives) -> {
              if (doubled.add(name)) {
                text.append(reused(name, lives, nodes));
              }
            });
    text.append(advice.orElseThrow().isolated(nodes));
    sentences.append(
        findings.text(
            each ->
                !SeenFindings.keepsAway(each)
                    && !isOfName(each, SeenFindings.REUSED_NAME, doubled)));
    return new Text(text.toString(), sentences.toString());
  }

  private static boolean isOfName(MeshFinding finding, String kind, Set<String> names) {
    return finding.kind().equals(kind) && names.contains(finding.subject());
  }

  /**
   * What to do about members that are awaited, where {@link #of} has not said it; a sentence with a
   * blank before it, or empty.
   *
   * @param awaited but this one
   * @param areNamed whether it is these that are awaited; else any others will do
   */
  String advice(Collection<String> awaited, boolean areNamed) {
    return advice.map(each -> each.text(nodes(), awaited, areNamed)).orElse(JoinAdvice.ANYBODY);
  }

  /** No reason to end the wait: a node that is started again has another id, and may come. */
  private static String reused(String name, List<MeshNode> lives, List<MeshNode> nodes) {
    return " %d nodes named '%s' have been seen since the join began: %s. If they are two hosts, give each a name of its own with MESH_NODE; if one node was started again, its name is right."
        .formatted(
            lives.size(),
            name,
            lives.stream()
                .map(
                    each ->
                        each.description()
                            + (isThere(nodes, each) ? ", which is there" : ", which is gone"))
                .collect(Collectors.joining("; ")));
  }

  private static boolean isThere(List<MeshNode> nodes, MeshNode node) {
    return nodes.stream()
        .anyMatch(each -> each.peer().equals(node.peer()) && !each.state().isGone());
  }

  private String withdrawn(String name) {
    return " %s came, and left again %s ago.".formatted(name, age(name));
  }

  private String age(String name) {
    return members.age(name, clock.getAsLong());
  }

  private String absent(List<MeshNode> nodes, String name) {
    String last =
        members.hasDeparted(name)
            ? " %s came, and was last there %s ago".formatted(name, age(name))
            : "";
    if (advice.orElseThrow().hasGivenUp(nodes, name)) {
      return last + ": it has given up waiting, or its program has ended.";
    }
    List<MeshNode> gone = nodes.stream().filter(each -> each.peer().name().equals(name)).toList();
    return gone.isEmpty()
        ? " The mesh knows no node '%s'.".formatted(name)
        : last + (last.isEmpty() ? " " : ". ") + verdict(MeshNode.latest(gone));
  }

  private String present(MeshRendezvous there, MeshNode node, String name) {
    if (node.state() != MeshNodeState.ALIVE) {
      return " " + verdict(node);
    }
    if (there.has(node)) {
      return "";
    }
    List<String> groups = there.otherGroups(node);
    return " %s %s%s."
        .formatted(
            name,
            members.hasDeparted(name)
                ? "came, and gave up waiting or closed the group %s ago; its node is in the mesh"
                    .formatted(age(name))
                : "is in the mesh and has not joined this group",
            groups.isEmpty() ? "" : "; it is in " + String.join(", ", groups));
  }

  /** A sentence with the state of a node, and what that follows from. */
  static String verdict(MeshNode node) {
    return "The mesh says that %s is %s%s."
        .formatted(
            node.peer(), node.state(), node.evidence().isEmpty() ? "" : ": " + node.evidence());
  }

  private MeshFinding duplicateName(MeshNode self, String name, List<MeshNode> nodes) {
    return new MeshFinding(
        // As a mesh finds it, which looks once a second only.
        SeenFindings.DUPLICATE_NAME,
        name,
        "%d nodes are named '%s': %s."
            .formatted(
                nodes.size(),
                name,
                nodes.stream()
                    .map(
                        each ->
                            each.peer().id().equals(self.peer().id())
                                ? "this node, %s, on host %s"
                                    .formatted(each.description(), hostName)
                                : each.description())
                    .collect(Collectors.joining("; "))),
        REMEDY);
  }
}
