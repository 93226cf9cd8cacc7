// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.nic.Gid;

/**
 * The two ends a stream connects. Each end is known by GID, wire port and queue pair number.
 *
 * @param localGid row of the own GID table the queue pair sends from
 * @param localPort the own device's wire port
 * @param localQueuePair the own queue pair
 * @param remoteGid the peer's GID
 * @param remotePort the peer device's wire port
 * @param remoteQueuePair the peer's queue pair
 */
public record StreamAddress(
    Gid localGid,
    int localPort,
    int localQueuePair,
    Gid remoteGid,
    int remotePort,
    int remoteQueuePair) {
  /** The same stream as the peer sees it. */
  public StreamAddress reversed() {
    return new StreamAddress(
        remoteGid, remotePort, remoteQueuePair, localGid, localPort, localQueuePair);
  }

  /**
   * Whether this end dials and the other accepts: of two ends that both know each other exactly one
   * must. 0 if the ends are the same.
   */
  int compareEnds() {
    int order = Long.compareUnsigned(localGid.high(), remoteGid.high());
    order = order != 0 ? order : Long.compareUnsigned(localGid.low(), remoteGid.low());
    order = order != 0 ? order : Integer.compare(localPort, remotePort);
    return order != 0 ? order : Integer.compare(localQueuePair, remoteQueuePair);
  }

  public boolean isDialler() {
    return compareEnds() < 0;
  }
}
