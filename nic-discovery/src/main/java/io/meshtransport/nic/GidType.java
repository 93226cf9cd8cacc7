// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

/**
 * What kind of packets a row of a GID table sends. The labels are those of the kernel's {@code
 * gid_attrs/types}.
 */
public enum GidType {
  /**
   * A GID of an InfiniBand port. The kernel shows it, as it does RoCE v1, as {@code IB/RoCE v1}.
   */
  INFINIBAND("IB"),
  /** Ethernet frames of type 0x8915: they never leave the cable's broadcast domain. */
  ROCE_V1("RoCE v1"),
  /** UDP packets to port 4791: the one kind this library chooses on Ethernet. */
  ROCE_V2("RoCE v2"),
  /** A software queue pair over TCP: no packets of its own. */
  SOFT("soft");

  private final String label;

  GidType(String label) {
    this.label = label;
  }

  /** How users see it. */
  public String label() {
    return label;
  }
}
