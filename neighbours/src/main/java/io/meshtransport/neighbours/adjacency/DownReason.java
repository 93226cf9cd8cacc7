// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

/** Why an adjacency is up no longer. */
public enum DownReason {
  SILENT("no hello for a second"),
  ONE_WAY("the neighbour no longer hears this node"),
  RESTARTED("the neighbour has restarted"),
  PROCESS_GONE("the neighbour's host refuses connections"),
  LEFT("the neighbour has left"),
  INTERFACE_GONE("the interface is gone or has no carrier");

  private final String description;

  DownReason(String description) {
    this.description = description;
  }

  /** For people. */
  public String description() {
    return description;
  }
}
