// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.List;

/** Makes NICs of devices that no discovery has found. Holds nothing. */
public final class NicFixture {
  private static final int PREFIX_BITS = 15;
  private static final int MTU_BYTES = 4096;

  private NicFixture() {}

  /**
   * A NIC over a device, at the address of the first row of its GID table. The NIC owns the device.
   *
   * @param provider name of the provider that opened the device
   * @param name of the device and its interface
   */
  public static OpenNic over(int index, String provider, String name, VerbsDevice device)
      throws VerbsException {
    return over(index, provider, name, name, device);
  }

  /**
   * @param netdev name of its interface
   */
  public static OpenNic over(
      int index, String provider, String name, String netdev, VerbsDevice device)
      throws VerbsException {
    GidEntry row = device.gidTable(1).get(0);
    LinkAddress link = new LinkAddress(row.gid().toAddress(), PREFIX_BITS);
    Nic nic =
        new Nic(
            provider,
            name,
            1,
            netdev,
            0,
            List.of(new NicAddress(link, row)),
            0,
            MTU_BYTES,
            PortState.ACTIVE,
            "",
            -1);
    return OpenNic.over(index, nic, device);
  }
}
