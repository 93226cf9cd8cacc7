// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

/** What the ranks of a group do in a round of their records, which begin with a byte of it. */
enum RoundKind {
  /** {@link JoinRecord}s. */
  JOIN("joins the group"),
  /** Links over further cables to ranks that one joins already. */
  CABLES("connects over further cables"),
  /** Nothing; then the links that a rank has measured. */
  MEASURE("measures its links"),
  /** The length of the plan, and parts of it. */
  PLAN("reads the plan"),
  /** What an operation is, and keys of memory for it. */
  PREPARE("prepares an operation"),
  /** Color and key. */
  SPLIT("splits the group");

  private final String text;

  RoundKind(String text) {
    this.text = text;
  }

  /** Whether all ranks do it before they have a group. */
  boolean isOfJoining() {
    return this != PREPARE && this != SPLIT;
  }

  /** What a record says that its rank does, as in {@code splits the group}. */
  static String text(byte[] record) {
    return record.length > 0 && record[0] >= 0 && record[0] < values().length
        ? values()[record[0]].text
        : "does what this version does not know";
  }
}
