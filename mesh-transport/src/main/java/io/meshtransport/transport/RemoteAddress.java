// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.LinkAddress;
import java.util.Objects;

/**
 * An address a peer says it has. Read from its handle, so a claim until a handshake has proven it.
 *
 * @param link address and prefix length as configured at the peer
 * @param nicIndex which of the peer's NICs has it, from 0; equal for addresses of one NIC
 * @param speedMbps megabits per second of that NIC, 0 if the peer does not know
 */
record RemoteAddress(LinkAddress link, int nicIndex, int speedMbps) {
  RemoteAddress {
    Objects.requireNonNull(link, "link");
    if (nicIndex < 0) {
      throw new IllegalArgumentException("NIC index " + nicIndex + " is negative");
    }
    if (speedMbps < 0) {
      throw new IllegalArgumentException("speed " + speedMbps + " Mb/s is negative");
    }
  }
}
