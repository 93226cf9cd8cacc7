// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.nic.LinkAddress;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.CableEnd;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A guest's NIC: one end of a cable.
 *
 * @param cable its place among the topology's cables
 * @param node where it is plugged in
 * @param peer at the other end
 * @param name of the network interface, as in {@code to-b}
 * @param mac address, which tells the interface from the others
 * @param address of the interface
 * @param mtuBytes of the interface
 * @param rateMbps of the cable, if limited
 */
record GuestNic(
    int cable,
    String node,
    String peer,
    String name,
    String mac,
    LinkAddress address,
    int mtuBytes,
    OptionalInt rateMbps) {
  /** The largest MTU of the emulated NIC, an argument of QEMU. */
  static final int MAX_MTU_BYTES = 9000;

  private static final String RDMA_PREFIX = "rxe_";

  GuestNic {
    if (mtuBytes > MAX_MTU_BYTES) {
      throw new FabricException(
          "an MTU of " + mtuBytes + " at " + node + ": NICs of the lab carry " + MAX_MTU_BYTES);
    }
  }

  /** All NICs of a node, in the order of its cables. */
  static List<GuestNic> of(Topology topology, String node) {
    List<GuestNic> nics = new ArrayList<>();
    for (Cable cable : topology.cablesOf(node)) {
      int index = topology.cables().indexOf(cable);
      CableEnd end = cable.end(node);
      nics.add(
          new GuestNic(
              index,
              node,
              cable.peerOf(node),
              topology.interfaceName(cable, node),
              // QEMU's own range, which no other NIC on the cable uses.
              "52:54:00:00:%02x:%02x".formatted(index, end == cable.a() ? 1 : 2),
              end.address(),
              end.mtuBytes(),
              cable.rateMbps()));
    }
    return nics;
  }

  /** Of the RDMA device on it, as in {@code rxe_to-b}. */
  String rdmaDevice() {
    return RDMA_PREFIX + name;
  }

  /** What QEMU calls it: {@code set_link} takes this. */
  String emulatorName() {
    return "nic" + cable;
  }
}
