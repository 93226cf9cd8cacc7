// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Something that is wrong, or unusual, with the cabling of this node. A value.
 *
 * @param kind what it is, in capitals: CROSSED_CABLES, SHARED_SUBNET, PREFIX_MISMATCH,
 *     LOOPED_CABLE, SEVERAL_NODES, ONE_WAY, MTU_MISMATCH, SPEED_MISMATCH, DUPLICATE_NAME,
 *     REUSED_NAME, OTHER_JOB or OTHER_SECRET; later versions may know more
 * @param subject which interface, cable or name; with the kind it identifies a finding
 * @param text a sentence that says what was seen
 * @param remedy a sentence that says what to do
 */
public record MeshFinding(String kind, String subject, String text, String remedy) {
  /** Checks that all are there. */
  public MeshFinding {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(remedy, "remedy");
  }

  /**
   * Findings for a text: those of one kind with the same words become one, with all their subjects,
   * as in {@code eth1, eth2}. In the order of their first.
   */
  public static List<MeshFinding> merged(Collection<MeshFinding> findings) {
    Map<List<String>, List<MeshFinding>> alike = new LinkedHashMap<>();
    for (MeshFinding each : findings) {
      alike
          .computeIfAbsent(List.of(each.kind, each.text, each.remedy), none -> new ArrayList<>())
          .add(each);
    }
    return alike.values().stream().map(MeshFinding::ofAll).toList();
  }

  private static MeshFinding ofAll(List<MeshFinding> alike) {
    MeshFinding first = alike.get(0);
    String subjects =
        alike.stream().map(MeshFinding::subject).distinct().collect(Collectors.joining(", "));
    return new MeshFinding(first.kind, subjects, first.text, first.remedy);
  }

  /** One line: subject, text, remedy. */
  @Override
  public String toString() {
    return subject + ": " + text + " " + remedy;
  }
}
