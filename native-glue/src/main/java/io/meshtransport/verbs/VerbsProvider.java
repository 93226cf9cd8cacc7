// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.List;

/**
 * An implementation of the verbs, found with {@link java.util.ServiceLoader}. Any thread may call
 * it.
 */
public interface VerbsProvider {
  /** The name users choose it by in MESH_PROVIDER, as in {@code ibverbs} or {@code soft}. */
  String name();

  /**
   * Order of preference under MESH_PROVIDER=auto: the available provider with the highest rank is
   * used.
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
   * As {@link #open(String)}, for a device that receives data on a TCP port; others ignore the
   * port.
   *
   * @throws VerbsException also if the port is required and in use
   */
  default VerbsDevice open(String deviceName, WirePort wirePort) throws VerbsException {
    return open(deviceName);
  }
}
