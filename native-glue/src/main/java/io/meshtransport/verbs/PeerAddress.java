// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import io.meshtransport.nic.Gid;
import java.util.Objects;

/**
 * The address of a queue pair's peer and the path to it (struct ibv_ah_attr with its
 * ibv_global_route).
 *
 * @param gid the peer's GID
 * @param wirePort the peer's {@link VerbsDevice#wirePort()}; 0 on hardware
 * @param sourceGidIndex row of the own GID table to send from, 0 to 255 (u8 in ibv_global_route)
 * @param hopLimit IP time to live, 1 to 255
 * @param trafficClass IP type of service, 0 to 255
 * @param serviceLevel 0 to 15
 * @param wireKey key shared by both ends of a connection in software; {@link WireKey#NONE} on
 *     hardware
 */
public record PeerAddress(
    Gid gid,
    int wirePort,
    int sourceGidIndex,
    int hopLimit,
    int trafficClass,
    int serviceLevel,
    WireKey wireKey) {
  public PeerAddress {
    Objects.requireNonNull(gid, "gid");
    inRange("wire port", wirePort, 0, 0xFFFF);
    inRange("source GID index", sourceGidIndex, 0, 255);
    inRange("hop limit", hopLimit, 1, 255);
    inRange("traffic class", trafficClass, 0, 255);
    inRange("service level", serviceLevel, 0, 15);
    Objects.requireNonNull(wireKey, "wireKey");
  }

  /** An address without a wire key. */
  public PeerAddress(
      Gid gid, int wirePort, int sourceGidIndex, int hopLimit, int trafficClass, int serviceLevel) {
    this(gid, wirePort, sourceGidIndex, hopLimit, trafficClass, serviceLevel, WireKey.NONE);
  }

  /** The same with a wire key. */
  public PeerAddress withWireKey(WireKey key) {
    return new PeerAddress(
        gid, wirePort, sourceGidIndex, hopLimit, trafficClass, serviceLevel, key);
  }

  private static void inRange(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(what + " " + value + " is outside " + least + ".." + most);
    }
  }
}
