// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.doctor;

import java.util.Objects;

/**
 * Something that is wrong.
 *
 * @param severity how bad it is
 * @param where the host, an interface, a cable or a node
 * @param what was seen
 * @param why it matters
 * @param remedy what to do
 */
public record Ailment(Severity severity, String where, String what, String why, String remedy) {
  /** How bad something is. */
  public enum Severity {
    /** It stops a pair of nodes from talking. */
    BLOCKS,
    /** It may do so, or costs speed. */
    WARNS
  }

  public Ailment {
    Objects.requireNonNull(severity, "severity");
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(why, "why");
    Objects.requireNonNull(remedy, "remedy");
  }

  /** A line for each part. */
  @Override
  public String toString() {
    return "%s  %s: %s%n        %s%n        remedy: %s"
        .formatted(severity == Severity.BLOCKS ? "BLOCKS" : "warns ", where, what, why, remedy);
  }
}
