// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.Nic;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The index of each NIC of a transport: an interface that comes back gets the one it had, if that
 * is free. Guarded by the lock of {@link LocalNics}, except {@link #bound}.
 */
final class NicIndices {
  /** Handles, rails and keys name NICs by small numbers. */
  static final int MAX_NICS = 256;

  /** By {@link #key}: the index each had last. */
  private final Map<String, Integer> last = new HashMap<>();

  private volatile int bound;

  /**
   * @param bound all indices that are in use are below it
   */
  NicIndices(int bound) {
    this.bound = bound;
  }

  /** What a NIC is known by when it comes back: its device, port and interface. */
  static String key(Nic nic) {
    return nic.device() + "/" + nic.port() + "/" + nic.netdev();
  }

  /**
   * The index that a NIC had; else one that none has had; else any that is free.
   *
   * @param key as {@link #key} makes it
   * @param taken by NICs that are open
   * @throws VerbsException ENOMEM if there is none
   */
  int free(String key, Set<Integer> taken) throws VerbsException {
    Integer own = last.get(key);
    if (own != null && !taken.contains(own)) {
      return own;
    }
    for (int index = 0; index < MAX_NICS; index++) {
      if (!taken.contains(index) && !last.containsValue(index)) {
        return index;
      }
    }
    for (int index = 0; index < MAX_NICS; index++) {
      if (!taken.contains(index)) {
        int given = index;
        last.values().removeIf(each -> each == given);
        return index;
      }
    }
    throw new VerbsException(
        Errno.ENOMEM,
        MAX_NICS + " NICs are open already. MESH_IFNAME and MESH_HCA leave some out.");
  }

  /** A NIC is open with this index. */
  void use(String key, int index) {
    last.put(key, index);
    bound = Math.max(bound, index + 1);
  }

  /** All indices so far are below it. Any thread. */
  int bound() {
    return bound;
  }
}
