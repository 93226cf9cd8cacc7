// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.PeerAddress;
import java.nio.ByteBuffer;

/** Writes a struct ibv_ah_attr, always with its global route: RoCE has no other. */
final class AddressVector {
  private AddressVector() {}

  /**
   * @param at where the structure begins
   * @param port the own port to send from
   */
  static void write(ByteBuffer bytes, int at, PeerAddress peer, int port) {
    bytes.put(at + Layout.AhAttr.DGID, peer.gid().toBytes());
    bytes.put(at + Layout.AhAttr.SGID_INDEX, (byte) peer.sourceGidIndex());
    bytes.put(at + Layout.AhAttr.HOP_LIMIT, (byte) peer.hopLimit());
    bytes.put(at + Layout.AhAttr.TRAFFIC_CLASS, (byte) peer.trafficClass());
    bytes.put(at + Layout.AhAttr.SL, (byte) peer.serviceLevel());
    bytes.put(at + Layout.AhAttr.IS_GLOBAL, (byte) 1);
    bytes.put(at + Layout.AhAttr.PORT_NUM, (byte) port);
  }
}
