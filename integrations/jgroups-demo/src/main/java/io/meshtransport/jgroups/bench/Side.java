// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

/** What is compared. */
public enum Side {
  /** JGroups' TCP, with static routes. */
  STOCK("stock TCP"),
  /** Ours. */
  MESH("MESH"),
  /** The least that does what ours must, over plain sockets: {@link AcknowledgedTcp}. */
  ACKNOWLEDGED("acknowledging TCP");

  private final String label;

  Side(String label) {
    this.label = label;
  }

  /** For tables. */
  String label() {
    return label;
  }
}
