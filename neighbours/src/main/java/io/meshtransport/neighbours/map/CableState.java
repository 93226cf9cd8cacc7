// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

/** Whether a cable works. */
public enum CableState {
  /** Hellos pass in both directions. */
  UP("up"),
  /** It worked, and works no longer, though the nodes at both its ends live. */
  CUT("CUT"),
  /** The node at one of its ends does not live, or cannot be reached. */
  DOWN("down");

  private final String description;

  CableState(String description) {
    this.description = description;
  }

  /** For people. */
  public String description() {
    return description;
  }
}
