// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

import java.util.Objects;

/**
 * Something that is wrong, or unusual, with the cabling.
 *
 * @param kind what it is; kind and subject together identify a finding
 * @param subject which interface, cable or name, as in {@code eth1 - b/eth0}
 * @param text a sentence that says what was seen
 * @param remedy a sentence that says what to do
 */
public record Finding(FindingKind kind, String subject, String text, String remedy) {
  public Finding {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(remedy, "remedy");
  }

  /** Whether this is the same fault as another finding, perhaps in other words. */
  public boolean isSameAs(Finding other) {
    return kind == other.kind && subject.equals(other.subject);
  }

  /** Whether this says the same of another subject. */
  public boolean isAlike(Finding other) {
    return kind == other.kind
        && !subject.equals(other.subject)
        && text.equals(other.text)
        && remedy.equals(other.remedy);
  }

  /** One line: subject, text, remedy. */
  @Override
  public String toString() {
    return subject + ": " + text + " " + remedy;
  }
}
