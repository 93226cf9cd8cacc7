// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.MeshFinding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a node has found wrong at any time since a join began, also what is so no longer. Confined
 * to the thread that joins.
 */
final class SeenFindings {
  /** Max findings that are kept, of a host whose cables come and go; the earliest is dropped. */
  private static final int MAX = 32;

  /** The kind of finding for which nodes leave, and then it is so no longer. */
  static final String DUPLICATE_NAME = "DUPLICATE_NAME";

  /** The kind of finding that {@link SeenNodes} knows for the time of the join. */
  static final String REUSED_NAME = "REUSED_NAME";

  /** Kinds that keep a node out of the mesh, or make its name one that cannot be looked up. */
  static final Set<String> REASONS_TO_BE_AWAY =
      Set.of(DUPLICATE_NAME, "OTHER_SECRET", "OTHER_JOB", "ONE_WAY", "LOOPED_CABLE");

  /** A finding in words is of now, or of before. */
  private static final String NOW = " This node finds: ";

  private static final String BEFORE = " This node found while it waited, and no longer does: ";

  /** By kind and subject, which identify a finding, in the order of their first sight. */
  private final Map<List<String>, MeshFinding> found = new LinkedHashMap<>();

  private Set<List<String>> now = Set.of();

  static List<String> key(MeshFinding of) {
    return List.of(of.kind(), of.subject());
  }

  /** What is wrong now. */
  void note(Collection<MeshFinding> findings) {
    Map<List<String>, MeshFinding> next = new LinkedHashMap<>();
    findings.forEach(each -> next.putIfAbsent(key(each), each));
    found.putAll(next);
    now = next.keySet();
    while (found.size() > MAX) {
      found.remove(found.keySet().iterator().next());
    }
  }

  /** The subjects of all findings of a kind, of now and before. */
  List<String> subjects(String kind) {
    return found.values().stream()
        .filter(each -> each.kind().equals(kind))
        .map(MeshFinding::subject)
        .toList();
  }

  /** Whether a finding keeps nodes away. */
  static boolean keepsAway(MeshFinding finding) {
    return REASONS_TO_BE_AWAY.contains(finding.kind());
  }

  /** Whether a finding of now keeps nodes away, or one of before has made them leave. */
  boolean hasReasonToBeAway() {
    return found.entrySet().stream()
        .filter(each -> keepsAway(each.getValue()))
        .anyMatch(
            each -> now.contains(each.getKey()) || each.getValue().kind().equals(DUPLICATE_NAME));
  }

  /**
   * Those of now, then those of before, each with a blank before it; what cables share is once, and
   * so is a remedy.
   */
  String text(Predicate<MeshFinding> which) {
    List<MeshFinding> still = new ArrayList<>();
    List<MeshFinding> before = new ArrayList<>();
    found.forEach(
        (key, each) -> {
          if (which.test(each)) {
            (now.contains(key) ? still : before).add(each);
          }
        });
    StringBuilder text = new StringBuilder();
    MeshFinding.merged(still).forEach(each -> text.append(NOW).append(each));
    Set<String> remedies = still.stream().map(MeshFinding::remedy).collect(Collectors.toSet());
    for (MeshFinding each : MeshFinding.merged(before)) {
      text.append(BEFORE).append(each.subject()).append(": ").append(each.text());
      if (remedies.add(each.remedy())) {
        text.append(' ').append(each.remedy());
      }
    }
    return text.toString();
  }
}
