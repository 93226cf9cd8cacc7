// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.Objects;

/**
 * A port, or an address of one, that is left out, and what the owner of the host can do about it.
 *
 * @param device as in {@code mlx5_1}; of a soft NIC the netdev; empty if the host has none at all
 * @param port from 1; 0 if the whole device is meant
 * @param netdev network interface; empty if there is none
 * @param reason what is wrong, in a sentence
 * @param remedy what to do, with a command where there is one
 */
public record Rejection(String device, int port, String netdev, String reason, String remedy) {
  public Rejection {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(netdev, "netdev");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(remedy, "remedy");
  }

  /** As in {@code mlx5_1 port 1 (enp1s0f1): reason. remedy.} */
  @Override
  public String toString() {
    String where = device.equals(netdev) || port == 0 ? device : device + " port " + port;
    String on = netdev.isEmpty() || netdev.equals(device) ? "" : " (" + netdev + ")";
    return (where + on).isEmpty()
        ? reason + ". " + remedy + "."
        : where + on + ": " + reason + ". " + remedy + ".";
  }
}
