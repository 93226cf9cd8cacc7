// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.OptionalInt;

/** How much RDMA payload fits a packet of a network interface. */
final class ActiveMtu {
  /** Smallest payload size there is (InfiniBand Architecture Specification, 9.2.1). */
  static final int SMALLEST = 256;

  /** Largest payload size there is. */
  static final int LARGEST = 4096;

  /**
   * What the kernel sets aside for headers, in bytes: GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC
   * 4 (iboe_get_mtu in include/rdma/ib_addr.h).
   */
  static final int HEADERS = 40 + 8 + 12 + 4 + 28 + 4;

  private ActiveMtu() {}

  /**
   * The largest size that fits: 1500 gives 1024, 4200 and 9000 give 4096.
   *
   * @param netdevMtu in bytes
   * @return empty if not even the smallest fits
   */
  static OptionalInt of(int netdevMtu) {
    int space = Math.min(netdevMtu - HEADERS, LARGEST);
    return space < SMALLEST ? OptionalInt.empty() : OptionalInt.of(Integer.highestOneBit(space));
  }
}
