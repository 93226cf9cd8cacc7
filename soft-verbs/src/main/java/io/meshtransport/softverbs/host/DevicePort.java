// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import java.util.List;

/** The one port of a soft device: where its addresses and its state come from. Any thread. */
public interface DevicePort {
  /**
   * One row per address, in the kernel's order; what was true a hundredth of a second ago at most.
   */
  List<GidEntry> gidTable();

  PortState state();

  /** Largest power of two, 256 to 4096, that fits the netdev's MTU with RoCE v2's headers. */
  int activeMtuBytes();
}
