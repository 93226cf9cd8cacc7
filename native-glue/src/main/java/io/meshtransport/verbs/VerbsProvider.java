// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.List;

/**
 * A way to reach RDMA verbs, found with {@link java.util.ServiceLoader}. Any thread may call it; it
 * holds nothing but what it opened.
 */
public interface VerbsProvider {
  /** The name users choose it by in MESH_PROVIDER, as in {@code ibverbs} or {@code soft}. */
  String name();

  /**
   * Order of preference under MESH_PROVIDER=auto: the available provider with the highest rank is
   * taken.
   */
  int rank();

  /** Whether it works on this host, and if not why and what to do. Probed once; never throws. */
  Availability availability();

  /** Names of the devices present now, each good for {@link #open}. Empty if unavailable. */
  List<String> deviceNames();

  /**
   * Opens a device.
   *
   * @param deviceName one of {@link #deviceNames()}
   * @return the caller's to close
   * @throws VerbsException if there is no such device or it cannot be opened
   */
  VerbsDevice open(String deviceName) throws VerbsException;

  /**
   * As {@link #open(String)}, for a device that takes data on a TCP port; others have no use for
   * it.
   *
   * @throws VerbsException also if the port is required and cannot be had
   */
  default VerbsDevice open(String deviceName, WirePort wirePort) throws VerbsException {
    return open(deviceName);
  }
}
