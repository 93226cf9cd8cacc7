// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The devices that are open in this process. It keeps them reachable, and through them the buffers
 * of every region that is still registered: a device writes to registered memory whether or not any
 * object of the program still refers to it, so the collector must not free such memory. A device
 * that is dropped without being closed leaks that memory, and nothing worse. Any thread.
 */
final class OpenDevices {
  private static final Set<NativeDevice> OPEN = ConcurrentHashMap.newKeySet();

  private OpenDevices() {}

  /** A device that was just opened. */
  static NativeDevice add(NativeDevice device) {
    OPEN.add(device);
    return device;
  }

  /** The library has closed it, and nothing is registered with it any more. */
  static void remove(NativeDevice device) {
    OPEN.remove(device);
  }
}
