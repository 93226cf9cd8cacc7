// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

/**
 * State of an RDMA port, as in enum ibv_port_state and sysfs {@code ports/1/state}; a soft NIC is
 * ACTIVE or DOWN.
 */
public enum PortState {
  DOWN,
  INIT,
  ARMED,
  ACTIVE,
  UNKNOWN
}
