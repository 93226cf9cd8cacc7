// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

/** What a group does together. The order is part of the encoding of plans. */
public enum CollectiveKind {
  /** Nobody goes on before everybody has come. */
  BARRIER("barrier"),
  /** The root's bytes to all; the size is that of those bytes. */
  BROADCAST("broadcast"),
  /** The fold of all ranks' bytes to the root; the size is that of one rank's. */
  REDUCE("reduce"),
  /** The fold of all ranks' bytes to all; the size is that of one rank's. */
  ALL_REDUCE("all-reduce"),
  /** Each rank's bytes to all; the size is that of all ranks' together. */
  ALL_GATHER("all-gather"),
  /** A part of the fold to each rank; the size is that of one rank's operand, all parts. */
  REDUCE_SCATTER("reduce-scatter"),
  /** A part of each rank's bytes to each other; the size is that of one rank's, all parts. */
  ALL_TO_ALL("all-to-all");

  private final String text;

  CollectiveKind(String text) {
    this.text = text;
  }

  /** For people. */
  public String text() {
    return text;
  }
}
