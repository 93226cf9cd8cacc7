// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.rc.StreamAddress;

/**
 * The two devices a {@link MuxConnection} connects, each known by GID and wire port.
 *
 * @param localGid row of the own GID table that its streams use
 * @param localPort the own device's wire port
 * @param remoteGid the peer's GID
 * @param remotePort the peer device's wire port
 * @param isDialler whether this end dials and the other accepts; of a connection from a device to
 *     itself there are both ends here
 */
record DevicePair(Gid localGid, int localPort, Gid remoteGid, int remotePort, boolean isDialler) {
  /** The connection for a wire. */
  static DevicePair of(StreamAddress ends) {
    return new DevicePair(
        ends.localGid(), ends.localPort(), ends.remoteGid(), ends.remotePort(), ends.isDialler());
  }

  // Written out: those that a record is given are linked at their first use, for milliseconds.
  @Override
  public boolean equals(Object other) {
    return other instanceof DevicePair that
        && localPort == that.localPort
        && remotePort == that.remotePort
        && isDialler == that.isDialler
        && localGid.equals(that.localGid)
        && remoteGid.equals(that.remoteGid);
  }

  @Override
  public int hashCode() {
    int gids = 31 * localGid.hashCode() + remoteGid.hashCode();
    return 31 * (31 * gids + localPort) + remotePort + (isDialler ? 1 : 0);
  }
}
