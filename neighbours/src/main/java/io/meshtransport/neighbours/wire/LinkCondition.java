// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

/** What the node at one end of a link says of it. */
public enum LinkCondition {
  /** Hellos arrive in both directions. */
  UP(0),
  /** The adjacency has ended, and nothing is known of the host at the other end. */
  DOWN(1),
  /** The adjacency has ended, and the host at the other end accepts connections. */
  ACCEPTED(2),
  /** The adjacency has ended, and the host at the other end refuses connections. */
  REFUSED(3);

  private final int code;

  LinkCondition(int code) {
    this.code = code;
  }

  /** The number on the wire. */
  int code() {
    return code;
  }

  /** The condition of a number; one that is not known here is at least not up. */
  static LinkCondition of(int code) {
    for (LinkCondition each : values()) {
      if (each.code == code) {
        return each;
      }
    }
    return DOWN;
  }
}
