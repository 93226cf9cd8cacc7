// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Objects;

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

  /** One line: subject, text, remedy. */
  @Override
  public String toString() {
    return subject + ": " + text + " " + remedy;
  }
}
